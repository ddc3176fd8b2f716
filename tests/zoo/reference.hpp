#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

/// Reference solutions that share no code with the library: long double, high order, coordinates of their own.
namespace cotangent::zoo {

using Real = long double;
using Vec = std::vector<Real>;
using Mat = std::vector<Vec>;  ///< rows

inline const Real kPi = std::acos(Real(-1));

/// y' = f(t, y).
using Field = std::function<Vec(Real t, const Vec& y)>;

/// y(T) from y(0), to about 1e-16 relative to the largest |y_i| of a step.
///
/// Gragg's extrapolated midpoint rule with ten rows (order 20) and step size control [gragg65; hnw93, II.9].
/// @throws std::runtime_error if the steps become too small.
Vec integrate(const Field& f, Vec y, Real T);

/// Solves a x = b by Gaussian elimination with row pivoting.
Vec solve(Mat a, Vec b);

/// A number along a curve: value, first and second derivative with respect to its parameter.
struct Jet {
  Real v = 0, d = 0, dd = 0;

  Jet() = default;
  Jet(Real value) : v(value) {}  // NOLINT: constants are jets
  Jet(Real value, Real first, Real second) : v(value), d(first), dd(second) {}

  /// f(x) from f, f', f'' at x.
  Jet chain(Real f, Real df, Real ddf) const { return {f, df * d, ddf * d * d + df * dd}; }
};

inline Jet operator+(const Jet& a, const Jet& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
inline Jet operator-(const Jet& a) { return {-a.v, -a.d, -a.dd}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  return a * b.chain(1 / b.v, -1 / (b.v * b.v), 2 / (b.v * b.v * b.v));
}
inline Jet sin(const Jet& x) { return x.chain(std::sin(x.v), std::cos(x.v), -std::sin(x.v)); }
inline Jet cos(const Jet& x) { return x.chain(std::cos(x.v), -std::sin(x.v), -std::cos(x.v)); }
inline Jet sqrt(const Jet& x) {
  const Real r = std::sqrt(x.v);
  return x.chain(r, 1 / (2 * r), -1 / (4 * r * x.v));
}

/// The angle of (x, y) from the x axis, in (-pi, pi]; its derivatives are those of the angle however often it turns.
inline Jet atan2(const Jet& y, const Jet& x) {
  const Real r2 = x.v * x.v + y.v * y.v, area = x.v * y.d - y.v * x.d;
  return {std::atan2(y.v, x.v), area / r2,
          (x.v * y.dd - y.v * x.dd) / r2 - 2 * area * (x.v * x.d + y.v * y.d) / (r2 * r2)};
}

using Jets = std::vector<Jet>;

/// Points and vectors of a plane.
using Jet2 = std::array<Jet, 2>;
inline Jet2 operator+(const Jet2& a, const Jet2& b) { return {a[0] + b[0], a[1] + b[1]}; }
inline Jet2 operator-(const Jet2& a, const Jet2& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline Jet2 operator*(const Jet& s, const Jet2& a) { return {s * a[0], s * a[1]}; }
inline Jet2 direction(const Jet& angle) { return {cos(angle), sin(angle)}; }

/// Where two bars meet, one of length `ra` hinged at a and one of length `rb` hinged at b: to the left of the way from
/// a to b for side = 1, to the right for side = -1.
inline Jet2 meeting_point(const Jet2& a, const Jet2& b, Real ra, Real rb, Real side = 1) {
  const Jet2 e = b - a;
  const Jet e2 = e[0] * e[0] + e[1] * e[1], along = (ra * ra - rb * rb + e2) / (2 * e2);
  const Jet across = side * sqrt(ra * ra / e2 - along * along);
  return a + along * e + across * Jet2{-e[1], e[0]};
}

/// A mechanical system in minimal coordinates s, from d'Alembert's principle.
///
/// Where x = place(s, t) is free of constraints on s, the forces of constraint do no work along dx = J ds, J = x_s.
/// With x'' = J s'' + c, c the second derivative of place along (s', 1), and M x'' = F + (forces of constraint):
///
///   (J' M J) s'' = J' (F - M c).
///
/// u are further variables, u' = rates.
struct Mechanism {
  std::function<Jets(const Jets& s, const Jet& t)> place;
  Mat mass;
  std::function<Vec(Real t, const Vec& x, const Vec& v, const Vec& u)> force;
  std::function<Vec(Real t, const Vec& x, const Vec& v, const Vec& u)> rates = {};
};

/// Where a system is, in the coordinates of the model.
struct Motion {
  Vec x, v, u;
};

/// The mechanism at time T, from s, s' and u at time 0.
Motion follow(const Mechanism& mechanism, const Vec& s, const Vec& s_dot, Real T, const Vec& u = {});

/// Weight of points with the masses m, in a space whose last axis points upward.
std::function<Vec(Real, const Vec&, const Vec&, const Vec&)> gravity(const Vec& m, std::size_t dimension, Real g = 1);

/// Vectors in space, of jets.
using Jet3 = std::array<Jet, 3>;
inline Jet3 operator+(const Jet3& a, const Jet3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Jet3 operator-(const Jet3& a, const Jet3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Jet3 operator*(const Jet& s, const Jet3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Jet3 cross(const Jet3& a, const Jet3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// The vector turned about the axis 0, 1 or 2.
Jet3 turned(const Jet3& a, std::size_t axis, const Jet& angle);
/// Appends the components.
template <class Vector>
void append(Jets& list, const Vector& a) {
  list.insert(list.end(), a.begin(), a.end());
}

/// diag(entries).
Mat diagonal(const Vec& entries);

/// Adds the kinetic energy m/6 (|v_a|^2 + v_a . v_b + |v_b|^2) of a heavy rod between points whose coordinates begin at
/// a and b; a point that does not move is kFixed. The integral of m |(1 - s) v_a + s v_b|^2 / 2 over s in [0, 1].
void add_rod(Mat& mass, Real m, std::ptrdiff_t a, std::ptrdiff_t b, std::size_t dimension);
inline constexpr std::ptrdiff_t kFixed = -1;

}  // namespace cotangent::zoo
