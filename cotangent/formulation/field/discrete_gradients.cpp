#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/solve/direct/row_basis.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

FormulationFacts facts_of(FormulationFacts facts) {
  facts.description += ", tangent to the discrete gradients of invariants";
  facts.hamiltonian = false;
  facts.reference = "mclachlan-quispel-robidoux99";
  return facts;
}

/// The field f of another formulation at the middle m of a step from z, without what changes invariants I_k between z
/// and the end that m belongs to:
///
///   F(m) = (I - D'(D D')^-1 D) f(m),   d = 2 (m - z)
///   D_k  = I_k'(m) + c_k d,   c_k = (I_k(z + d) - I_k(z) - I_k'(m).d) / |d|^2      the midpoint discrete gradients
///
/// of which D_k.d = I_k(z + d) - I_k(z). The implicit midpoint rule on it has d = h F(m): D d = 0, so that it keeps all
/// I_k. It is symmetric, for exchanging z and z + d leaves m and D as they are, and of order two, for D f = O(d^2).
///
/// Where the time is in an invariant, it changes by e_k = I_k(m, t + h) - I_k(m, t) at m. Then I_k at both ends are
/// those at their times, c_k has e_k taken from its numerator, and D f + e/h is in the place of D f, so that D d = -e.
///
/// An invariant whose gradient depends on those of the others, as the square of Lenz' vector does on energy and angular
/// momentum, is kept with them. Its discrete gradient would not depend on theirs, but for O(d^2), and leaves no room
/// for f: it is left out.
///
/// References: [gonzalez96], [mclachlan-quispel-robidoux99].
template <class T>
class DiscreteGradients final : public Formulation<T> {
 public:
  DiscreteGradients(Manifold<T>& manifold, const std::vector<std::string>& invariants,
                    std::unique_ptr<Formulation<T>> field)
      : Formulation<T>(facts_of(field->facts())),
        field_(std::move(field)),
        invariants_(manifold.system(), invariants),
        n_(static_cast<std::size_t>(manifold.system().n())),
        states_(static_cast<std::size_t>(manifold.system().state_count())),
        rows_(invariants_.count(), size_, std::pow(static_cast<double>(epsilon<T>()), 2.0 / 3)),
        moves_(manifold.system().elements().depends_on(manifold.system().elements().invariants, Space::t)),
        change_(invariants_.count(), T(0)),
        by_time_(change_),
        before_(change_),
        counts_(invariants_.count(), Mask<T>(true)) {}

  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override {
    field_->begin_step(z, own);
    invariants_.start(z);
    t_ = z.t;
    put(z.q, z.p, z.s, begin_);
    for (std::size_t k = 0; k < invariants_.count(); ++k) gradient(z, k, rows_.row(k));
    rows_.factor();
    for (std::size_t k = 0; k < invariants_.count(); ++k) counts_[k] = rows_.counts(k);
  }

  [[nodiscard]] Mask<T> field(const PointRef<T>& m, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found(true);
    this->narrow(found, field_->field(m, q_dot, p_dot, s_dot), [this](int lane) { return field_->failure(lane); });
    if (!any(found)) return found;
    T squared(0);
    const auto go = [&](const T* x, std::size_t first, std::size_t count) {
      for (std::size_t j = first; j < first + count; ++j) {
        d_[j] = T(2) * (x[j - first] - begin_[j]);
        end_[j] = begin_[j] + d_[j];
        squared += d_[j] * d_[j];
      }
    };
    go(m.q, 0, n_);
    go(m.p, n_, n_);
    go(m.s, 2 * n_, states_);
    const T t_end = m.t + (m.t - t_);
    invariants_.excess({end_.data(), end_.data() + n_, end_.data() + 2 * n_, t_end}, change_.data());
    if (moves_) {
      invariants_.excess({m.q, m.p, m.s, t_end}, by_time_.data());
      invariants_.excess({m.q, m.p, m.s, t_}, before_.data());
      for (std::size_t k = 0; k < invariants_.count(); ++k) by_time_[k] -= before_[k];
    }
    for (std::size_t k = 0; k < invariants_.count(); ++k) {
      T* D = rows_.row(k);
      gradient(m, k, D);
      T along(0), size = abs(invariants_.targets()[k]);
      for (std::size_t j = 0; j < size_; ++j) {
        along += D[j] * d_[j];
        size += abs(D[j] * end_[j]);
      }
      // What is only rounding error must not be divided by a small |d|^2.
      const T defect = (change_[k] - by_time_[k]) - along;
      const Mask<T> is_seen = (abs(defect) > T(kZeroUnits * epsilon<T>()) * size) & (squared > T(0));
      const T c = select(is_seen, defect / squared, T(0));
      for (std::size_t j = 0; j < size_; ++j) D[j] = select(counts_[k], D[j] + c * d_[j], T(0));
    }
    const std::array parts{std::pair{q_dot, n_}, std::pair{p_dot, n_}, std::pair{s_dot, states_}};
    for (std::size_t k = 0; k < invariants_.count(); ++k) {
      const T* D = rows_.row(k);
      change_[k] = by_time_[k] / T(h_);
      for (const auto& [f, count] : parts)
        for (std::size_t j = 0; j < count; ++j) change_[k] += *D++ * f[j];
    }
    rows_.factor();
    rows_.solve(change_.data(), normal_.data());
    const T* normal = normal_.data();
    for (const auto& [f, count] : parts)
      for (std::size_t j = 0; j < count; ++j) f[j] -= *normal++;
    return found;
  }

  const std::vector<T>& multipliers() const override { return field_->multipliers(); }
  void set_step(LaneOf<T> h) override {
    h_ = h;
    field_->set_step(h);
  }
  std::int64_t size() const override { return field_->size(); }

 private:
  void gradient(const PointRef<T>& z, std::size_t k, T* row) {
    invariants_.gradient(z, k, row, row + n_, row + 2 * n_);
  }
  void put(const std::vector<T>& q, const std::vector<T>& p, const std::vector<T>& s, std::vector<T>& x) const {
    std::copy(q.begin(), q.end(), x.begin());
    std::copy(p.begin(), p.end(), x.begin() + static_cast<std::ptrdiff_t>(n_));
    std::copy(s.begin(), s.end(), x.begin() + static_cast<std::ptrdiff_t>(2 * n_));
  }

  std::unique_ptr<Formulation<T>> field_;
  KeptInvariants<T> invariants_;
  const std::size_t n_, states_, size_ = 2 * n_ + states_;
  RowBasis<T> rows_;
  const bool moves_;
  LaneOf<T> t_ = 0, h_ = 0;
  std::vector<T> change_, by_time_, before_;
  std::vector<T> begin_ = std::vector<T>(size_, T(0)), d_ = begin_, end_ = begin_, normal_ = begin_;
  std::vector<Mask<T>> counts_;
};

}  // namespace

template <class T>
std::unique_ptr<Formulation<T>> with_discrete_gradients(Manifold<T>& manifold,
                                                        const std::vector<std::string>& invariants,
                                                        std::unique_ptr<Formulation<T>> field) {
  return std::make_unique<DiscreteGradients<T>>(manifold, invariants, std::move(field));
}

#define COTANGENT_FUNCTIONS(T)                                                                                    \
  template std::unique_ptr<Formulation<T>> with_discrete_gradients(Manifold<T>&, const std::vector<std::string>&, \
                                                                   std::unique_ptr<Formulation<T>>);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
