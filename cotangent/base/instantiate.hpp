#pragma once

#include "cotangent/base/dual.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/base/traced.hpp"

/// The number types that templates are compiled for, listed once.
///
///   PRECISIONS     double, Quad                             one trajectory
///   TRAJECTORIES   and Tangents, Traced                     one trajectory, with derivatives or recorded
///   VALUES         double, Quad, Lanes                      without derivatives
///   KERNELS        and Traced                               what kernels are made for
///   NUMBERS        double, Quad, Tangents, Traced, Lanes    all
///
/// `COTANGENT_DECLARE(NUMBERS, Rattle);` stands in a header, `COTANGENT_INSTANTIATE(NUMBERS, Rattle);` in its source.
/// Functions are instantiated by a macro of their own: `COTANGENT_FOR_NUMBERS(X)` is X(double) X(Quad) ...

#define COTANGENT_FOR_PRECISIONS(X) X(double) X(Quad)
#define COTANGENT_FOR_TRAJECTORIES(X) COTANGENT_FOR_PRECISIONS(X) X(Tangents) X(Traced)
#define COTANGENT_FOR_VALUES(X) COTANGENT_FOR_PRECISIONS(X) X(Lanes)
#define COTANGENT_FOR_NUMBERS(X) COTANGENT_FOR_TRAJECTORIES(X) X(Lanes)

#define COTANGENT_PRECISIONS(WORD, CLASS) \
  WORD class CLASS<double>;               \
  WORD class CLASS<Quad>
#define COTANGENT_TRAJECTORIES(WORD, CLASS) \
  COTANGENT_PRECISIONS(WORD, CLASS);        \
  WORD class CLASS<Tangents>;               \
  WORD class CLASS<Traced>
#define COTANGENT_VALUES(WORD, CLASS) \
  COTANGENT_PRECISIONS(WORD, CLASS);  \
  WORD class CLASS<Lanes>
#define COTANGENT_KERNELS(WORD, CLASS) \
  COTANGENT_VALUES(WORD, CLASS);       \
  WORD class CLASS<Traced>
#define COTANGENT_NUMBERS(WORD, CLASS) \
  COTANGENT_TRAJECTORIES(WORD, CLASS); \
  WORD class CLASS<Lanes>

#define COTANGENT_DECLARE(TYPES, CLASS) COTANGENT_##TYPES(extern template, CLASS)
#define COTANGENT_INSTANTIATE(TYPES, CLASS) COTANGENT_##TYPES(template, CLASS)
