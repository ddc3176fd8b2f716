#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"

#include <gtest/gtest.h>

#include "cotangent/integrator/registry/registry.hpp"

// The coefficients of implicit Runge-Kutta methods, for all numbers of stages: also of those whose order is too high to
// be measured, since their errors vanish in the rounding errors of a Quad. By Butcher's simplifying assumptions
// [hairer-wanner96, IV.5]: B(p), C(q) and D(r) with p <= q + r + 1 and p <= 2 q + 2 give order p.
//
//   B(p)   sum_i b_i c_i^(k-1) = 1/k                              k = 1 .. p
//   C(q)   sum_j a_ij c_j^(k-1) = c_i^k / k                       k = 1 .. q
//   D(r)   sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k         k = 1 .. r

namespace cotangent {
namespace {

constexpr double kExact = 3e-32;

Quad power(Quad x, int k) {
  Quad result = 1;
  for (int i = 0; i < k; ++i) result *= x;
  return result;
}

Quad quadrature_defect(const ImplicitTableau& t, int k) {
  Quad sum = -static_cast<Quad>(1) / k;
  for (std::size_t i = 0; i < t.b.size(); ++i) sum += t.b[i] * power(t.c[i], k - 1);
  return abs(sum);
}

Quad stage_defect(const ImplicitTableau& t, int k) {
  Quad worst = 0;
  for (std::size_t i = 0; i < t.b.size(); ++i) {
    Quad sum = -power(t.c[i], k) / k;
    for (std::size_t j = 0; j < t.b.size(); ++j) sum += t.a[i][j] * power(t.c[j], k - 1);
    worst = std::max(worst, abs(sum));
  }
  return worst;
}

Quad adjoint_defect(const ImplicitTableau& t, int k) {
  Quad worst = 0;
  for (std::size_t j = 0; j < t.b.size(); ++j) {
    Quad sum = -t.b[j] * (1 - power(t.c[j], k)) / k;
    for (std::size_t i = 0; i < t.b.size(); ++i) sum += t.b[i] * power(t.c[i], k - 1) * t.a[i][j];
    worst = std::max(worst, abs(sum));
  }
  return worst;
}

// The largest k up to which a condition holds.
template <class Defect>
int holds_up_to(const ImplicitTableau& t, const Defect& defect) {
  int k = 0;
  while (k < 40 && defect(t, k + 1) <= static_cast<Quad>(kExact)) ++k;
  return k;
}

struct Assumptions {
  int B, C, D;
  bool operator==(const Assumptions&) const = default;
};

Assumptions assumptions(const ImplicitTableau& t) {
  return {holds_up_to(t, quadrature_defect), holds_up_to(t, stage_defect), holds_up_to(t, adjoint_defect)};
}

void expect_order(const Assumptions& found, int order) {
  EXPECT_EQ(found.B, order);
  EXPECT_GE(found.C + found.D + 1, order);
  EXPECT_GE(2 * found.C + 2, order);
}

int declared_order(const std::string& word, int stages) {
  return find_method<double>(word + ":" + std::to_string(stages)).facts.order;
}

TEST(ImplicitTables, OfGaussHaveTwiceAsManyOrdersAsStages) {
  for (int s = 1; s <= 12; ++s) {
    const auto found = assumptions(gauss_tableau(s));
    EXPECT_EQ(found, (Assumptions{2 * s, s, s})) << s;
    expect_order(found, declared_order("gauss", s));
  }
}

// b_i a_ij + b_j a_ji = b_i b_j: symplectic, and quadratic first integrals are kept.
TEST(ImplicitTables, AreSymplecticIffDeclared) {
  const auto defect = [](const ImplicitTableau& t) {
    Quad worst = 0;
    for (std::size_t i = 0; i < t.b.size(); ++i)
      for (std::size_t j = 0; j < t.b.size(); ++j)
        worst = std::max(worst, abs(t.b[i] * t.a[i][j] + t.b[j] * t.a[j][i] - t.b[i] * t.b[j]));
    return worst;
  };
  for (int s = 1; s <= 12; ++s) EXPECT_LE(defect(gauss_tableau(s)), static_cast<Quad>(kExact)) << s;
  for (int s = 1; s <= 7; ++s) EXPECT_GT(defect(radau_tableau(s)), static_cast<Quad>(1e-4)) << s;
  for (int s = 2; s <= 6; ++s) {
    EXPECT_GT(defect(lobatto_iiia_tableau(s)), static_cast<Quad>(1e-4)) << s;
    EXPECT_GT(defect(lobatto_iiic_tableau(s)), static_cast<Quad>(1e-4)) << s;
  }
  EXPECT_GT(defect(sdirk4_tableau()), static_cast<Quad>(1e-4));
  EXPECT_GT(defect(kahan_tableau()), static_cast<Quad>(1e-4));
  EXPECT_GT(defect(average_field_tableau(6)), static_cast<Quad>(1e-4));
}

TEST(ImplicitTables, OfRadauHaveTheirOrders) {
  for (int s = 1; s <= 7; ++s) {
    const auto found = assumptions(radau_tableau(s));
    EXPECT_EQ(found, (Assumptions{2 * s - 1, s, s - 1})) << s;
    expect_order(found, declared_order("radau-iia", s));
  }
}

TEST(ImplicitTables, OfLobattoHaveTheirOrders) {
  for (int s = 2; s <= 6; ++s) {
    EXPECT_EQ(assumptions(lobatto_iiia_tableau(s)), (Assumptions{2 * s - 2, s, s - 2})) << s;
    EXPECT_EQ(assumptions(lobatto_iiib_tableau(s)), (Assumptions{2 * s - 2, s - 2, s})) << s;
    EXPECT_EQ(assumptions(lobatto_iiic_tableau(s)), (Assumptions{2 * s - 2, s - 1, s - 1})) << s;
    for (const char* word : {"lobatto-iiia", "lobatto-iiic"}) EXPECT_EQ(declared_order(word, s), 2 * s - 2);
    if (s == 2) continue;  // lobatto-iiib:2 would be the implicit midpoint rule
    EXPECT_EQ(declared_order("lobatto-iiib", s), 2 * s - 2);
  }
}

}  // namespace
}  // namespace cotangent
