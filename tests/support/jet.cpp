#include "tests/support/jet.hpp"

#include <quadmath.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent::test {
namespace {

Jet operator+(const Jet& a, const Jet& b) {
  Jet r;
  for (unsigned m = 0; m < Jet::kMasks; ++m) r.c[m] = a.c[m] + b.c[m];
  return r;
}

Jet operator*(const Jet& a, const Jet& b) {
  Jet r;
  for (unsigned m = 0; m < Jet::kMasks; ++m) {
    if (a.c[m] == 0) continue;
    for (unsigned k = 0; k < Jet::kMasks; ++k)
      if ((m & k) == 0 && b.c[k] != 0) r.c[m | k] += a.c[m] * b.c[k];
  }
  return r;
}

// sum_k f^(k)(x0) / k! (x - x0)^k: finite, since (x - x0)^5 = 0.
Jet series(const Jet& x, const std::array<Quad, 5>& derivatives) {
  Jet nilpotent = x;
  nilpotent.c[0] = 0;
  Jet result(derivatives[0]), power(1);
  Quad factorial = 1;
  for (int k = 1; k < 5; ++k) {
    power = power * nilpotent;
    factorial *= k;
    result = result + Jet(derivatives[static_cast<std::size_t>(k)] / factorial) * power;
  }
  return result;
}

Jet power(const Jet& x, Quad exponent) {
  if (const auto n = static_cast<int>(exponent); n == exponent && n >= 0) {
    Jet result(1);
    for (int k = 0; k < n; ++k) result = result * x;
    return result;
  }
  std::array<Quad, 5> d{};
  Quad factor = 1;
  for (int k = 0; k < 5; ++k) {
    d[static_cast<std::size_t>(k)] = factor * powq(x.c[0], exponent - k);
    factor *= exponent - k;
  }
  return series(x, d);
}

Jet exponential(const Jet& x) {
  const Quad f = expq(x.c[0]);
  return series(x, {f, f, f, f, f});
}

Jet logarithm(const Jet& x) {
  const Quad r = 1 / x.c[0];
  return series(x, {logq(x.c[0]), r, -r * r, 2 * r * r * r, -6 * r * r * r * r});
}

class JetEvaluator {
 public:
  JetEvaluator(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p,
               std::span<const Tangent> directions)
      : model_(model) {
    for (const auto& parameter : model.parameters) known_[parameter.symbol] = parameter.value;
    const auto moved = [&](const std::vector<Quad>& x, std::vector<Quad> Tangent::*part) {
      std::vector<Jet> jets(x.begin(), x.end());
      for (std::size_t d = 0; d < directions.size(); ++d)
        for (std::size_t j = 0; j < x.size(); ++j)
          if (const auto& direction = directions[d].*part; !direction.empty()) jets[j].c[1U << d] = direction[j];
      return jets;
    };
    q_ = moved(q, &Tangent::q);
    p_ = moved(p, &Tangent::p);
  }

  void set(SymbolId index, Quad value) { known_[index] = value; }
  Quad number(Expr e) { return value(e).c[0]; }

  Jet value(Expr e) {
    switch (e.op()) {
      case Op::constant:
        return e.value();
      case Op::symbol:
        if (const auto found = known_.find(e.symbol_id()); found != known_.end()) return found->second;
        return variable(e);
      case Op::entry:
        return variable(e);
      case Op::sum: {
        Jet total;
        const Quad lo = number(e.arg(0)), hi = number(e.arg(1));
        for (Quad i = lo; i <= hi; i += 1) {
          known_[e.symbol_id()] = i;
          total = total + value(e.arg(2));
        }
        return total;
      }
      case Op::select:
        return value(e.arg(number(e.arg(0)) != 0 ? 1 : 2));
      default:
        break;
    }
    const Jet a = value(e.arg(0));
    const Jet b = e.arity() > 1 ? value(e.arg(1)) : Jet();
    switch (e.op()) {
      case Op::add:
        return a + b;
      case Op::mul:
        return a * b;
      case Op::div:
        return a * power(b, -1);
      case Op::pow:
        return power(a, b.c[0]);
      case Op::sqrt:
        return power(a, static_cast<Quad>(0.5));
      case Op::sin:
        return series(a, {sinq(a.c[0]), cosq(a.c[0]), -sinq(a.c[0]), -cosq(a.c[0]), sinq(a.c[0])});
      case Op::cos:
        return series(a, {cosq(a.c[0]), -sinq(a.c[0]), -cosq(a.c[0]), sinq(a.c[0]), cosq(a.c[0])});
      case Op::exp:
        return exponential(a);
      case Op::log:
        return logarithm(a);
      case Op::sinh: {
        const Quad f = sinhq(a.c[0]), df = coshq(a.c[0]);
        return series(a, {f, df, f, df, f});
      }
      case Op::tanh: {  // 1 - 2 / (exp(2a) + 1)
        return Jet(1) + Jet(-2) * power(exponential(Jet(2) * a) + Jet(1), -1);
      }
      case Op::lt:
        return a.c[0] < b.c[0] ? 1 : 0;
      case Op::le:
        return a.c[0] <= b.c[0] ? 1 : 0;
      case Op::eq:
        return a.c[0] == b.c[0] ? 1 : 0;
      case Op::ne:
        return a.c[0] != b.c[0] ? 1 : 0;
      default:
        throw std::logic_error("the oracle of the tests does not know " + std::string(spelling(e.op())));
    }
  }

 private:
  Jet variable(Expr e) {
    for (const Coordinate& c : model_.coordinates) {
      if (e.symbol_id() != c.q && e.symbol_id() != c.p) continue;
      std::int64_t at = c.offset, stride = 1;
      for (int d = 0; d < e.arity(); stride *= c.shape[static_cast<std::size_t>(d++)])
        at += stride * (static_cast<std::int64_t>(number(e.arg(d))) - 1);
      return (e.symbol_id() == c.q ? q_ : p_).at(static_cast<std::size_t>(at));
    }
    throw std::logic_error("no value for " + to_string(e));
  }

  const Model& model_;
  std::map<SymbolId, Quad> known_;
  std::vector<Jet> q_, p_;
};

std::vector<Quad> unit(std::size_t n, std::size_t j) {
  std::vector<Quad> e(n, 0);
  e[j] = 1;
  return e;
}

}  // namespace

Jet evaluate_jet(const Model& model, Expr e, const std::vector<Quad>& q, const std::vector<Quad>& p,
                 std::span<const Tangent> directions) {
  return JetEvaluator(model, q, p, directions).value(e);
}

std::vector<Jet> constraint_jets(const Model& model, const std::vector<Quad>& q, std::span<const Tangent> directions) {
  JetEvaluator evaluator(model, q, {}, directions);
  std::vector<Jet> rows;
  for (const Constraint& constraint : model.constraints) {
    const auto visit = [&](const auto& self, std::size_t level) -> void {
      if (level == constraint.loops.size()) {
        rows.push_back(evaluator.value(constraint.components[0]));
        return;
      }
      const Loop& loop = constraint.loops[level];
      const Quad lo = evaluator.number(loop.lo), hi = evaluator.number(loop.hi);
      for (Quad i = lo; i <= hi; i += 1) {
        evaluator.set(loop.index, i);
        self(self, level + 1);
      }
    };
    visit(visit, 0);
  }
  return rows;
}

Matrix dense_G(const Model& model, const std::vector<Quad>& q) {
  Matrix columns;
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Tangent e{unit(q.size(), j), {}};
    columns.emplace_back();
    for (const Jet& row : constraint_jets(model, q, std::span(&e, 1))) columns.back().push_back(row.c[1]);
  }
  return transposed(columns);
}

Matrix dense_H_pp(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p) {
  const std::size_t n = p.size();
  Matrix result(n, std::vector<Quad>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::array<Tangent, 2> e{Tangent{{}, unit(n, i)}, Tangent{{}, unit(n, j)}};
      result[i][j] = evaluate_jet(model, model.energy, q, p, e).c[3];
    }
  return result;
}

std::vector<Quad> dense_H_q(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p) {
  std::vector<Quad> result;
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Tangent e{unit(q.size(), j), {}};
    result.push_back(evaluate_jet(model, model.energy, q, p, std::span(&e, 1)).c[1]);
  }
  return result;
}

std::vector<Quad> dense_H_p(const Model& model, const std::vector<Quad>& q, const std::vector<Quad>& p) {
  std::vector<Quad> result;
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Tangent e{{}, unit(q.size(), j)};
    result.push_back(evaluate_jet(model, model.energy, q, p, std::span(&e, 1)).c[1]);
  }
  return result;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<Quad>(b.empty() ? 0 : b[0].size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

std::vector<Quad> product(const Matrix& a, const std::vector<Quad>& x) {
  std::vector<Quad> y(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

Matrix transposed(const Matrix& a) {
  Matrix t(a.empty() ? 0 : a[0].size(), std::vector<Quad>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) t[j][i] = a[i][j];
  return t;
}

std::vector<Quad> solve(Matrix a, std::vector<Quad> b) {
  const std::size_t m = b.size();
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < m; ++i)
      if (fabsq(a[i][k]) > fabsq(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < m; ++i) {
      const Quad factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < m; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace cotangent::test
