#include "tests/support/problems.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <stdexcept>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/equations.hpp"

namespace cotangent::test {
namespace {

std::vector<Problem> make_problems() {
  std::vector<Problem> list;

  // One constraint, one degree of freedom: everything is scalar. By its angle it would be a Hamiltonian system in the
  // angle and its velocity, as no other is: another minimal coordinate is taken.
  list.push_back({.name = "pendulum", .text = R"toml(
[parameters]
m = 1.3
l = 0.9
g = 1.1
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2*m) + m*g*y"
[constraints]
rod = "(x^2 + y^2 - l^2)/2 = 0"
[minimal]
coordinates = ["a"]
x = "l*sin(turn)"
y = "-l*cos(turn)"
[definitions]
turn = "a + 0.3*sin(a)"
[initial]
x = 0.8
y = -0.3
p_x = 0.3
p_y = 0.9
)toml"});

  // Two coupled constraints and masses that are not alike: W is no multiple of the identity.
  list.push_back({.name = "double_pendulum", .text = R"toml(
[parameters]
m1 = 2
m2 = 0.5
l1 = 1
l2 = 0.7
g = 1.2
[system]
coordinates = ["x1", "y1", "x2", "y2"]
hamiltonian = "(p_x1^2 + p_y1^2)/(2*m1) + (p_x2^2 + p_y2^2)/(2*m2) + g*(m1*y1 + m2*y2)"
[constraints]
upper = "x1^2 + y1^2 = l1^2"
lower = "(x2 - x1)^2 + (y2 - y1)^2 = l2^2"
[minimal]
coordinates = ["a1", "a2"]
x1 = "l1*sin(a1)"
y1 = "-l1*cos(a1)"
x2 = "l1*sin(a1) + l2*sin(a2)"
y2 = "-l1*cos(a1) - l2*cos(a2)"
[initial]
x1 = 0.8
y1 = -0.6
x2 = 1.3
y2 = -0.1
p_x1 = 0.5
p_y1 = 0.4
p_x2 = -0.3
p_y2 = 0.2
)toml"});

  // A metric that depends on q: H is not separable, H_pp neither constant nor known from p alone.
  list.push_back({.name = "spherical_metric",
                  .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(1 + 0.3*x^2 + 0.2*sin(y))*(p_x^2 + p_y^2 + p_z^2)/2 + z + 0.2*x^4"
[constraints]
sphere = "x^2 + y^2 + z^2 = 1"
[minimal]
coordinates = ["a", "b"]
x = "cos(b)*cos(a)"
y = "cos(b)*sin(a)"
z = "sin(b)"
[initial]
x = 0.6
y = 0.5
z = -0.6
p_x = 0.3
p_y = -0.4
p_z = 0.2
)toml",
                  .separable = false,
                  .diagonal_mass = false});

  // T(p) is not quadratic, so momentum solves are nonlinear; a constraint with a fourth derivative.
  list.push_back({.name = "relativistic",
                  .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "sqrt(1 + p_x^2) + sqrt(1 + p_y^2) + sqrt(1 + p_z^2) + x^2*y/2 + z^2 + 0.3*z"
[constraints]
quartic = "x^4 + 2*y^4 + z^4 = 1"
[minimal]
coordinates = ["a", "b"]
x = "a"
y = "b"
z = "-(1 - a^4 - 2*b^4)^0.25"
guess = { a = "x", b = "y" }
[initial]
x = 0.7
y = 0.5
z = -0.7
p_x = 0.4
p_y = -0.5
p_z = 0.2
)toml",
                  .diagonal_mass = false});

  // A surface of changing curvature given by a constraint that is no polynomial.
  list.push_back({.name = "torus", .text = R"toml(
[parameters]
R = 1.5
r = 0.6
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + 0.3*z + 0.1*x^4 + 0.2*x*y*z"
[constraints]
tube = "(sqrt(x^2 + y^2) - R)^2 + z^2 = r^2"
[initial]
x = 1.6
y = 1.0
z = 0.4
p_x = 0.3
p_y = -0.5
p_z = 0.6
)toml"});

  list.push_back({.name = "ellipsoid", .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "p_x^2/2 + p_y^2/4 + p_z^2/1.4 + x^4/4 + cos(y) + x*z/2"
[constraints]
shell = "x^2 + y^2/2.25 + z^2/0.64 = 1"
[initial]
x = 0.6
y = 0.8
z = 0.4
p_x = 0.5
p_y = 0.6
p_z = -0.4
)toml"});

  // Rows that are sums over a second loop, an array of two indices, and a cycle in the pattern of R.
  list.push_back({.name = "loop", .text = R"toml(
[parameters]
N = 5
[system]
coordinates = ["r[N,3]"]
hamiltonian = """sum(i in 1..N, sum(k in 1..3, p_r[i,k]^2/(1 + 0.5*i) + 0.3*r[i,k]^2)
  + (1 + 0.5*i)*r[i,3]/2 + 0.1*r[i,1]^4)"""
[constraints]
rod = { each = "i in 2..N", equation = "sum(k in 1..3, (r[i,k] - r[i-1,k])^2) = 1" }
closure = "(r[1,1] - r[N,1])^2 + (r[1,2] - r[N,2])^2 + (r[1,3] - r[N,3])^2 = 1"
[initial]
r = [[0.8, 0.1, 0.2], [0.3, 0.8, -0.2], [-0.7, 0.5, 0.3], [-0.7, -0.5, -0.3], [0.2, -0.8, 0.1]]
p_r = "0.3*sin(i + 2*j)"
)toml"});

  // Passes close to the origin, where q, g and its gradient in x and y are all small: rounding levels must not be.
  list.push_back({.name = "paraboloid", .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + z + 0.2*x*y"
[constraints]
bowl = "z = x^2 + y^2"
[initial]
x = 0.1
y = 0.003
z = 0.010009
p_x = -0.5
p_y = 0.01
p_z = -0.1
)toml"});

  list.push_back(chain(6));

  // Coefficients that depend on the index, with and without `if`: columns.
  list.push_back({.name = "uneven_chain",
                  .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = """sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/(2*(1 + 0.2*i)) + (1 + 0.2*i)*y[i])
  + sum(i in 1..N-1, if(i == 2, 0.7, 0.1*i)*(x[i+1] - x[i])^4)"""
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = { each = "i in 2..N", equation = "((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2)/i = if(i < 4, 1, 0.64)/i" }
[minimal]
coordinates = ["a[N]"]
x = "sum(j in 1..i, if(j < 4, 1, 0.8)*sin(a[j]))"
y = "-sum(j in 1..i, if(j < 4, 1, 0.8)*cos(a[j]))"
guess.a = "if(i == 1, atan2(x[1], -y[1]), atan2(x[i] - x[i-1], y[i-1] - y[i]))"
[initial]
x = "0.8*i"
y = "-0.5*i + 0.05*i^2"
p_x = "0.2*cos(i)"
p_y = "0.3*sin(2*i)"
)toml",
                  .long_step = 0.03});

  // A square root of a sum over all momenta couples everything; two rows, one of them a sum.
  list.push_back({.name = "function_of_sum",
                  .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]"]
hamiltonian = "sqrt(1 + sum(i in 1..N, p_x[i]^2)) + sum(i in 1..N, i*x[i]^2/4) + sum(i in 2..N, x[i]*x[i-1]^3)"
[constraints]
sphere = "sum(i in 1..N, x[i]^2) = 1.5"
saddle = "x[1]*x[2] + x[3] = 0.4"
[initial]
x = "0.5 + 0.2*sin(3*i)"
p_x = "0.4*cos(2*i)"
)toml",
                  .diagonal_mass = false});

  // Rows that use every coordinate, and pair terms.
  list.push_back({.name = "centre_of_mass", .text = R"toml(
[parameters]
N = 5
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = """sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/(2*i))
  + sum(i in 1..N, sum(j in i+1..N, ((x[i] - x[j])^2 + (y[i] - y[j])^2 - 1)^2/8))"""
[constraints]
centre_x = "sum(i in 1..N, x[i]) = 0"
centre_y = "sum(i in 1..N, i*y[i]) = 0"
rod = "(x[1] - x[2])^2 + (y[1] - y[2])^2 = 1"
[initial]
x = "cos(2*i) + 0.1"
y = "sin(2*i)"
p_x = "0.4*sin(i)"
p_y = "0.5*cos(3*i)"
)toml"});

  // Constraints that are nonlinear functions of sums: G is full, its entries are no element functions.
  list.push_back({.name = "group_constraint", .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2/2 + 0.1*i*x[i]^4) + x[1]"
[constraints]
bulge = "exp(0.3*sum(i in 1..N, x[i])) + x[1]^2 = 1.5"
size = "sqrt(1 + sum(i in 1..N, i*x[i]^2)) = 2"
[initial]
x = "0.3*cos(i) + 0.2"
p_x = "0.4*sin(2*i)"
)toml"});

  // Sums inside functions inside sums inside functions, in T, in V and in g.
  list.push_back({.name = "nested_groups",
                  .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]"]
hamiltonian = """2*sqrt(1 + sum(i in 1..N, sqrt(1 + p_x[i]^2 + 0.1*sum(j in 1..N, p_x[j])^2) + p_x[i]^2))
  + log(1 + sum(i in 1..N, sin(x[i] + sum(j in 1..N, j*x[j]^2/20))^2)) + sum(i in 1..N, x[i]^2/i)"""
[constraints]
twist = "sum(i in 1..N, tanh(x[i]*sum(j in 1..N, (i + j)*x[j]^2)/5)) + x[2]^2 = 1"
[initial]
x = "0.4 + 0.3*cos(2*i)"
p_x = "0.3*sin(i)"
)toml",
                  .diagonal_mass = false});

  // V is a function of a sum and so is the only constraint, at a zero of that sum: nothing but the terms of
  // the sum tells how large rounding errors are.
  list.push_back({.name = "balance", .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2/2) + 2*log(1 + sum(i in 1..N, i*x[i]^2)) + x[1]^4"
[constraints]
level = "sinh(sum(i in 1..N, x[i]^3 + x[i])) = 0"
[initial]
x = "0.6*cos(i)"
p_x = "0.4*sin(2*i)"
)toml"});

  // Two loops, the bounds of the inner one from the outer: index lists. Rows that do not touch each other.
  list.push_back({.name = "pair_sums", .text = R"toml(
[parameters]
N = 5
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = """sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2)
  + sum(i in 1..N, sum(j in i+1..N, 1/sqrt(0.5 + (x[i] - x[j])^2 + (y[i] - y[j])^2)))"""
[constraints]
circle = { each = "i in 1..N", equation = "x[i]^2 + y[i]^2 = i" }
[initial]
x = "sqrt(i)*cos(2*i)"
y = "sqrt(i)*sin(2*i)"
p_x = "0.5*sin(i)"
p_y = "0.4*cos(i)"
)toml"});

  // H_pp is constant but not diagonal: R reaches further than shared coordinates.
  list.push_back({.name = "coupled_momenta",
                  .text = R"toml(
[parameters]
N = 6
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i]) + sum(i in 2..N, 0.3*p_x[i]*p_x[i-1])"
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = { each = "i in 2..N", equation = "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1" }
[minimal]
coordinates = ["a[N]"]
x = "sum(j in 1..i, sin(a[j]))"
y = "-sum(j in 1..i, cos(a[j]))"
[initial]
x = "0.8*i"
y = "-0.6*i"
p_x = "0.2*cos(i)"
p_y = "0.3*sin(2*i)"
)toml",
                  .diagonal_mass = false});

  // Everything at once: a metric that is a function of a sum of positions, on a surface that is one too.
  list.push_back({.name = "group_metric",
                  .text = R"toml(
[parameters]
N = 5
[system]
coordinates = ["x[N]"]
hamiltonian = "(1 + 0.2*sin(sum(i in 1..N, x[i])))*sum(i in 1..N, p_x[i]^2)/2 + sum(i in 1..N, x[i]^4/i)"
[constraints]
shell = "log(1 + sum(i in 1..N, i*x[i]^2)) + x[2]*x[4] = 1"
[initial]
x = "0.3 + 0.2*sin(2*i)"
p_x = "0.5*cos(i)"
)toml",
                  .separable = false,
                  .diagonal_mass = false});

  // No constraint at all.
  list.push_back({.name = "free",
                  .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3"
[minimal]
coordinates = ["r", "a"]
x = "r*cos(a)"
y = "r*sin(a)"
guess = { r = "sqrt(x^2 + y^2)", a = "atan2(y, x)" }
[initial]
x = 0.3
y = -0.1
p_x = 0.2
p_y = 0.3
)toml",
                  .cubic = true});

  return list;
}

}  // namespace

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = make_problems();
  return list;
}

const Problem& problem(std::string_view name) {
  for (const auto* list : {&problems(), &equations()})
    for (const Problem& p : *list)
      if (p.name == name) return p;
  throw std::out_of_range(std::string(name));
}

Model read(const Problem& problem) { return read_model_text(problem.text, problem.name + ".toml"); }

Problem chain(int N) {
  return {.name = "chain", .text = fmt::format("[parameters]\nN = {}\n", N) + R"toml(
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i])"
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = { each = "i in 2..N", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }
[initial]
x = "0.8*i"
y = "-0.6*i"
p_x = "0.2*cos(i)"
p_y = "0.3*sin(2*i)"
)toml"};
}

PhasePoint<Quad> given_point(const Model& model) {
  PhasePoint<Quad> z(model.dimension(),
                     model.states.empty() ? 0 : model.states.back().offset + model.states.back().size());
  std::map<SymbolId, Quad> known;
  std::map<SymbolId, const Parameter*> tables;
  for (const auto& parameter : model.parameters) {
    known[parameter.symbol] = parameter.value;
    if (!parameter.shape.empty()) tables[parameter.symbol] = &parameter;
  }
  const auto value = [&](Expr e) {
    return evaluate<Quad>(e, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
      const auto table = tables.find(symbol);
      if (table == tables.end()) return known.at(symbol);
      std::int64_t at = 0, stride = 1;
      for (std::size_t d = 0; d < indices.size(); stride *= table->second->shape[d++]) at += stride * (indices[d] - 1);
      return table->second->table[static_cast<std::size_t>(at)];
    });
  };
  for (const auto& initial : model.initial) {
    const auto assign_entry = [&](const auto& all, std::vector<Quad>& x) {
      std::int64_t at = all.offset, stride = 1;
      for (std::size_t d = 0; d < initial.indices.size(); stride *= all.shape[d++])
        at += stride * (static_cast<std::int64_t>(value(initial.indices[d])) - 1);
      x[static_cast<std::size_t>(at)] = value(initial.value);
    };
    const auto assign = [&] {
      for (const Coordinate& c : model.coordinates)
        if (initial.target == c.q || initial.target == c.p) assign_entry(c, initial.target == c.q ? z.q : z.p);
      for (const State& u : model.states)
        if (initial.target == u.symbol) assign_entry(u, z.s);
    };
    const std::function<void(std::size_t)> visit = [&](std::size_t level) {
      if (level == initial.loops.size()) return assign();
      const Loop& loop = initial.loops[level];
      const Quad hi = value(loop.hi);
      for (Quad i = value(loop.lo); i <= hi; i += 1) {
        known[loop.index] = i;
        visit(level + 1);
      }
    };
    visit(0);
  }

  return z;
}

Quad Noise::operator()() {
  // xorshift64*: any generator will do, as long as it is written here.
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  const auto bits = static_cast<std::int64_t>(state_ * 0x2545F4914F6CDD1DU);
  return static_cast<Quad>(bits) / static_cast<Quad>(0x1p63);
}

std::vector<Quad> Noise::vector(std::size_t n) {
  std::vector<Quad> x(n);
  for (Quad& value : x) value = (*this)();
  return x;
}

PhasePoint<Quad> noisy_point(const Model& model, std::uint64_t seed, double distance) {
  PhasePoint<Quad> z = given_point(model);
  Noise noise(seed);
  for (Quad& x : z.q) x += static_cast<Quad>(distance) * noise();
  for (Quad& x : z.p) x += static_cast<Quad>(distance) * noise();
  for (Quad& x : z.s) x += static_cast<Quad>(distance) * noise();
  return z;
}

}  // namespace cotangent::test
