#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A composition of steps of a symmetric method Phi,
///
///   Psi_h = Phi_{gamma_s h} o ... o Phi_{gamma_1 h},    gamma_i = gamma_{s+1-i},    sum gamma_i = 1,
///
/// whose order is higher than that of Phi. With log Phi_h = h Y_1 + h^3 Y_3 + h^5 Y_5 + ... the conditions are that in
/// log Psi_h all terms up to h^order but h Y_1 vanish; as the composition is symmetric, those of even order do anyway.
///
/// Reference: [hlw06, section V.3].
struct CompositionTable {
  std::string name;  ///< of the coefficients: "kahan-li"
  int order = 0;
  std::vector<Quad> gamma;
  std::string reference;  ///< key in docs/references.bib
};

/// Coefficients that raise a symmetric method of order `inner` to `order`. The first of compositions() if no name is
/// given.
/// @throws std::invalid_argument if there are none: which ones there are.
CompositionTable find_composition(int order, int inner, std::string_view name = {});

/// All that raise a symmetric method of order `inner` to `order`, the most accurate for its work first. Conditions for
/// a method of order two hold for those of higher order, too; but from order to order + 2 there are shorter ones.
std::vector<CompositionTable> compositions(int order, int inner);

/// From order 2k to 2k + 2: k steps, one step back, k steps, where
///
///   gamma = 1 / (2k - (2k)^(1/(inner + 1))),    and -(2k)^(1/(inner + 1)) gamma for the step back.
///
/// One step on each side is the triple jump, two are Suzuki's, four, of the longest of which there is least to go back,
/// are the most accurate for their work.
///
/// References: [creutz-gocksch89], [suzuki90], [mclachlan02].
std::vector<Quad> steps_around_one_back(int on_each_side, int inner);

}  // namespace cotangent
