#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cotangent {

/// A system whose H(q, p, t) and g(q, t) are functions of the user's instead of expressions:
///
///   BlackBox functions;  // n, m, H, H_q, H_p, g, G, ...
///   ModelBuilder pendulum;  // coordinates, initial values, observables
///   Run run(build_model(pendulum, functions), {.method = "rattle", .step = 0.01, .end = 100});
///
/// Functions write all of `out` and must be functions in the mathematical sense: values at a point may be kept, and
/// asked for in any order. What is said of the structure (patterns, separability, no dependence on the time) is
/// believed; check() of system/black_box/black_box_check.hpp compares it, and every derivative, with differences.
///
/// Second derivatives that are not given are differences of H_q, H_p, G and g_t, central and along the direction that
/// is asked for. Relative to the largest component they are good to a few rounding errors where H or g is a quadratic
/// polynomial, and otherwise to about 1e-9 times the number of scales (below) that the point is away from zero. They
/// evaluate functions at up to 1/16 of a scale from the point, four times each. `rattle` uses second derivatives only
/// to find the way to the solution of its equations, which is the same whatever they are; the right hand side of `rk4`
/// contains them.
struct BlackBox {
  using Place = std::pair<std::int64_t, std::int64_t>;  ///< row, column; from zero

  using Scalar = std::function<double(const double* q, const double* p, double t)>;
  using Gradient = std::function<void(const double* q, const double* p, double t, double* out)>;
  using Product = std::function<void(const double* q, const double* p, double t, const double* a, double* out)>;
  using Along =
      std::function<void(const double* q, const double* p, double t, const double* a, const double* b, double* out)>;
  using Rows = std::function<void(const double* q, double t, double* out)>;
  using RowsAlong = std::function<void(const double* q, double t, const double* a, double* out)>;
  using RowsSecond = std::function<void(const double* q, double t, const double* a, const double* b, double* out)>;

  std::int64_t n = 0;  ///< coordinates
  std::int64_t m = 0;  ///< constraints

  // Required; g and G where there are constraints.
  Scalar H;
  Gradient H_q, H_p;
  Rows g;
  Rows G;  ///< the values of dg/dq at the places of G_pattern

  // Required where H, or g, depends on the time: whether they are given says so.
  Scalar H_t;
  Rows g_t;

  // Optional.
  Product H_pp_times;   ///< H_pp a
  Along H_p_along;      ///< H_pq a + H_pp b: the derivative of H_p along (a, b)
  Along H_q_along;      ///< H_qq a + H_qp b: the derivative of H_q along (a, b)
  Gradient H_pt;        ///< the derivative of H_p by the time
  RowsSecond g_second;  ///< g_qq[a, b], second derivatives by q only: one number per row
  RowsAlong g_t_along;  ///< g_tq a + g_tt: the derivative of g_t along (a, 1)

  /// Where G may differ from zero, in the order of its values; places that occur twice add up. Empty: everywhere, row
  /// by row. What a step costs is determined by it.
  std::vector<Place> G_pattern;

  enum class MassPattern : std::uint8_t {
    full,      ///< with constraints, a full matrix of all of them has to be factored
    diagonal,  ///< each term of H has one momentum
    sparse,    ///< the diagonal and H_pp_places
  };
  MassPattern H_pp_pattern = MassPattern::full;
  std::vector<Place> H_pp_places;  ///< off the diagonal, each pair once or both ways

  /// H = T(p, t) + V(q, t): then rattle need solve for the multipliers only.
  bool is_separable = false;

  /// For messages: one for each constraint, or none; then they are g[1], g[2], ...
  std::vector<std::string> constraint_names;

  /// Over which change of q, p and t functions change essentially: a link of a chain, say, not its length. Steps of
  /// differences are chosen by it.
  double q_scale = 1, p_scale = 1, t_scale = 1;
};

}  // namespace cotangent
