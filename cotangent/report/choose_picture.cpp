#include "cotangent/report/choose_picture.hpp"

#include <fmt/format.h>

#include "cotangent/base/limits.hpp"

namespace cotangent {

template <class T>
std::unique_ptr<PictureFrames<T>> choose_picture(const Model& shared, Manifold<T>& manifold, const PhasePoint<T>& z,
                                                 Backend backend, std::vector<std::string>& notes) {
  const Model model = branch(shared);  // points are expressions, and its graph grows
  auto drawing = model.picture ? std::optional(stated_drawing(model)) : derived_drawing(model, manifold, z);
  if (!drawing) return nullptr;
  if (drawing->numbers > kLimits.picture) {
    notes.push_back(fmt::format("the page has no picture: each frame would have {} numbers, and at most {} are shown",
                                drawing->numbers, kLimits.picture));
    return nullptr;
  }
  return std::make_unique<PictureFrames<T>>(model, std::move(*drawing), backend);
}

#define COTANGENT_FUNCTIONS(T)                                                                                         \
  template std::unique_ptr<PictureFrames<T>> choose_picture(const Model&, Manifold<T>&, const PhasePoint<T>&, Backend, \
                                                            std::vector<std::string>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
