#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The coefficients of an explicit Runge-Kutta method, row by row below the diagonal.
struct ExplicitTableau {
  std::vector<std::vector<Quad>> a;  ///< a[i] has i entries
  std::vector<Quad> b;
  std::vector<Quad> error = {};         ///< h sum error_i k_i is how far another result is from that of b
  std::vector<Quad> coarse_error = {};  ///< the same of a third result, of still lower order
};

ExplicitTableau euler_tableau();
/// The midpoint rule. The other result is Euler's. Reference: [runge1895].
ExplicitTableau rk2_tableau();
/// The trapezoidal rule with Euler's method for the end. The other result is Euler's. Reference: [heun1900].
ExplicitTableau heun_tableau();
/// The classical method of order four. Reference: [kutta1901].
ExplicitTableau rk4_tableau();
/// 5(4). Reference: [dormand-prince80].
ExplicitTableau dopri5_tableau();
/// 5(4). Reference: [tsitouras11].
ExplicitTableau tsit5_tableau();
/// 7(8): the other result is the better one, and the estimate is asymptotically the error itself; but it vanishes where
/// f depends on t only. Reference: [fehlberg68].
ExplicitTableau rkf78_tableau();
/// 8(5,3). Reference: [hnw93, II.5 and II.10].
ExplicitTableau dop853_tableau();
/// 9(8), the pair called efficient. Reference: [verner10].
ExplicitTableau vern9_tableau();

}  // namespace cotangent
