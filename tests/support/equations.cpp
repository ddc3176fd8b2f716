#include "tests/support/equations.hpp"

namespace cotangent::test {
namespace {

Problem equation(Problem problem) {
  problem.is_mechanical = false;
  return problem;
}

std::vector<Problem> make_equations() {
  std::vector<Problem> list;

  // Three different moments: the intermediate axis turns over. A quadratic field with quadratic invariants.
  list.push_back(equation({.name = "euler_top",
                           .text = R"toml(
[parameters]
I1 = 1
I2 = 1.5
I3 = 2.2
[system]
states = ["m1", "m2", "m3"]
[equations]
m1 = "m2*m3*(1/I3 - 1/I2)"
m2 = "m3*m1*(1/I1 - 1/I3)"
m3 = "m1*m2*(1/I2 - 1/I1)"
[invariants]
quadratic_casimir = "m1^2 + m2^2 + m3^2"
quadratic_energy = "m1^2/I1 + m2^2/I2 + m3^2/I3"
[initial]
m1 = 0.7
m2 = 1.9
m3 = -1.1
)toml",
                           .cubic = true}));

  // An invariant with a domain.
  list.push_back(equation({.name = "lotka_volterra",
                           .text = R"toml(
[system]
states = ["x", "y"]
[equations]
x = "-x + x*y"
y = "y - x*y"
[invariants]
level = "log(x) - x + log(y) - y"
[initial]
x = 0.5
y = 0.7
)toml",
                           .cubic = true}));

  // The same with x = exp(u), y = exp(w): canonical, and no polynomials.
  list.push_back(equation({.name = "lotka_volterra_log", .text = R"toml(
[system]
states = ["u", "w"]
[equations]
u = "exp(w) - 1"
w = "1 - exp(u)"
[invariants]
level = "u - exp(u) + w - exp(w)"
[initial]
u = -0.7
w = -0.4
)toml"}));

  // Second-order equations. Three of the four invariants are independent; one is quadratic.
  list.push_back(equation({.name = "kepler", .text = R"toml(
[system]
states = ["x", "y"]
[definitions]
r = "sqrt(x^2 + y^2)"
[equations]
"x''" = "-x/r^3"
"y''" = "-y/r^3"
[invariants]
energy = "(v_x^2 + v_y^2)/2 - 1/r"
quadratic_momentum = "x*v_y - y*v_x"
lenz_x = "v_y*(x*v_y - y*v_x) - x/r"
lenz_y = "-v_x*(x*v_y - y*v_x) - y/r"
[initial]
x = 0.8
y = 0.1
v_x = -0.2
v_y = 1.2
)toml"}));

  // The periodic Toda lattice in Flaschka's variables: a family whose indices go round.
  list.push_back(equation({.name = "toda",
                           .text = R"toml(
[parameters]
N = 4
[system]
states = ["a[N]", "b[N]"]
[equations]
a = "a[i]*(b[mod(i, N) + 1] - b[i])"
b = "2*(a[i]^2 - a[mod(i + N - 2, N) + 1]^2)"
[invariants]
linear_trace = "sum(i in 1..N, b[i])"
quadratic_trace = "sum(i in 1..N, b[i]^2 + 2*a[i]^2)"
cubic_trace = "sum(i in 1..N, b[i]^3 + 3*a[i]^2*(b[i] + b[mod(i, N) + 1]))"
[initial]
a = "0.5 + 0.1*i"
b = "sin(2*i)"
)toml",
                           .cubic = true,
                           .long_step = 0.05}));

  // Vectors, sums, and two vector invariants.
  list.push_back(equation({.name = "three_body", .text = R"toml(
[parameters]
N = 3
[definitions]
"mass(i)" = "1/(1 + i)"
"pull(d)" = "d/norm(d)^3"
[system]
states = ["r[N,2]"]
[equations]
"r''" = { each = "i in 1..N", value = "sum(k in 1..N, if(k == i, 0*r[k], mass(k)*pull(r[k] - r[i])))" }
[invariants]
linear_momentum_1 = "sum(i in 1..N, mass(i)*v_r[i,1])"
linear_momentum_2 = "sum(i in 1..N, mass(i)*v_r[i,2])"
quadratic_momentum = "sum(i in 1..N, mass(i)*(r[i,1]*v_r[i,2] - r[i,2]*v_r[i,1]))"
energy = "sum(i in 1..N, mass(i)*norm2(v_r[i])/2) - sum(i in 1..N, k in i+1..N, mass(i)*mass(k)/norm(r[i] - r[k]))"
[initial]
r = "cos(2.1*i + 1.5*j)"
v_r = "0.6*sin(2.1*i + 1.5*j)"
)toml"}));

  // The time changes the field, and an invariant.
  list.push_back(equation({.name = "driven_rotation", .text = R"toml(
[system]
states = ["x", "y", "z"]
[definitions]
rate = "1 + x*z + 0.4*sin(t)"
[equations]
x = "-rate*y"
y = "rate*x"
z = "x*cos(t) - rate*y*sin(t)"
[invariants]
quadratic_radius = "x^2 + y^2"
moving = "z - x*sin(t)"
[initial]
x = 0.9
y = -0.3
z = 0.4
)toml"}));

  // Nothing is conserved.
  list.push_back(equation({.name = "driven_duffing", .text = R"toml(
[system]
states = ["u"]
[equations]
"u''" = "u - u^3 - 0.2*v_u + 0.5*cos(1.3*t)"
[initial]
u = 0.4
v_u = 0.9
)toml"}));
  return list;
}

}  // namespace

const std::vector<Problem>& equations() {
  static const std::vector<Problem> list = make_equations();
  return list;
}

}  // namespace cotangent::test
