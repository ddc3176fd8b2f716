#pragma once

#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/system/evaluation_errors.hpp"

namespace cotangent {

/// K(x) = H(q, p) in the variables x of a formulation.
template <class T>
class EnergyInVariables {
 public:
  /// Both must outlive this.
  EnergyInVariables(System<T>& system, Formulation<T>& formulation)
      : system_(system),
        formulation_(formulation),
        inside_(system, Contraction::Of::H),
        physical_(system.n()),
        v_(physical_.q) {}

  /// @param near q and p of a point not far away.
  /// @param inside what is added up inside K, as in 1 - cos a; nothing if nobody asks.
  /// @return where there is a point to these variables.
  [[nodiscard]] Mask<T> operator()(const T* x, std::size_t n, const PhasePoint<T>& near, T& K, T* inside) {
    const T *q = x, *p = x + n;
    Mask<T> found(true);
    if (!formulation_.is_physical()) {
      own_.q.assign(q, q + n);
      own_.p.assign(p, p + n);
      own_.q_low.assign(n, T(0));
      own_.p_low = own_.q_low;
      physical_.q = near.q;
      physical_.t = near.t;
      found = formulation_.leave(own_, physical_);
      q = physical_.q.data();
      p = physical_.p.data();
    }
    const At<T> at = system_.at(q, p);
    K = at.H();
    if (inside == nullptr) return found;
    *inside = T(0);
    if (inside_.vanish()) return found;
    at.H_p(v_);
    inside_.add_to(at.with(v_), inside);
    return found;
  }

 private:
  System<T>& system_;
  Formulation<T>& formulation_;
  EvaluationErrors<T> inside_;
  OwnVariables<T> own_;
  PhasePoint<T> physical_;
  std::vector<T> v_;
};

}  // namespace cotangent
