#pragma once

#include <memory>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/black_box.hpp"

namespace cotangent {

/// H and g of elements are, from now on, the functions of a black box; other functions stay.
/// @throws std::invalid_argument naming everything that is missing or does not fit together.
void declare_functions(Elements& elements, std::shared_ptr<const BlackBox> box);

/// Nothing but a black box.
std::shared_ptr<const Elements> black_box_elements(BlackBox box);

}  // namespace cotangent
