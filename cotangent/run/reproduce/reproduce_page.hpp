#pragma once

#include "cotangent/report/page_data.hpp"
#include "cotangent/run/reproduce/reproduce.hpp"

namespace cotangent {

/// A page with the plots and the claims of each experiment. @param origin outlives it.
PageData page_of(const Reproductions& reproductions, const PageOrigin& origin);

}  // namespace cotangent
