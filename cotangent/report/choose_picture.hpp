#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/report/page_record.hpp"

namespace cotangent {

/// What moves on a page of a model: its picture, or the one that coordinates and constraints suggest. A null pointer
/// where there is none, and where its frames have too many numbers, with a note.
/// @param z a point with g(q) = 0.
template <class T>
std::unique_ptr<PictureFrames<T>> choose_picture(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z,
                                                 Backend backend, std::vector<std::string>& notes);

}  // namespace cotangent
