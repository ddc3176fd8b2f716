#include "tests/support/mechanisms.hpp"

#include "tests/support/problems.hpp"

namespace cotangent::test {

// A heavy rod chain: L_vv is constant and couples neighbours. Separable, so the kicks are explicit.
const Mechanism kHeavyChain{"heavy_chain", R"toml(
[parameters]
N = 4
[system]
coordinates = ["r[N,2]"]
lagrangian = """sum(i in 2..N, (norm2(v_r[i]) + dot(v_r[i], v_r[i-1]) + norm2(v_r[i-1]))/6 - (r[i,2] + r[i-1,2])/2)
                + norm2(v_r[1])/6 - r[1,2]/2"""
[constraints]
anchor = "norm2(r[1]) = 1"
rod = { each = "i in 2..N", equation = "norm2(r[i] - r[i-1]) = 1" }
[minimal]
coordinates = ["a[N]"]
r = { each = "i in 1..N", value = "sum(j in 1..i, [sin(a[j]), -cos(a[j])])" }
[initial]
r = { each = "i in 1..N", value = "[0.6*i, -0.8*i]" }
v_r = { each = "i in 1..N", value = "[0.8*i, 0.6*i]" }
)toml"};

// The mass depends on q, and coordinates are coupled through it: a double pendulum by its angles, the upper one held to
// a curve by a constraint that couples all three coordinates.
const Mechanism kCurvedMass{"curved_mass", R"toml(
[system]
coordinates = ["a", "b", "x"]
lagrangian = "v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b) + (1 + sin(b)^2)*v_x^2/2 + 2*cos(a) + cos(b) - x^2/2"
[constraints]
cam = "x + 0.3*x^3 - a - 0.2*sin(b) = 0"
[minimal]
coordinates = ["u[2]"]
a = "u[1] + 0.3*u[1]^3 - 0.2*sin(u[2])"
b = "u[2]"
x = "u[1]"
[initial]
a = 0.5
b = -0.4
x = 0.4
v_a = 1
v_b = 0.3
v_x = 1
)toml"};

// L is not quadratic in v, and contains a magnetic term.
const Mechanism kRelativistic{"relativistic_charge", R"toml(
[system]
coordinates = ["x", "y", "z"]
lagrangian = "-sqrt(1 - v_x^2 - v_y^2 - v_z^2) + 0.5*(x*v_y - y*v_x) - 0.3*z"
[constraints]
sphere = "x^2 + y^2 + z^2 = 1"
[minimal]
coordinates = ["a", "b"]
x = "cos(b)*cos(a)"
y = "cos(b)*sin(a)"
z = "sin(b)"
[initial]
x = 1
y = 0
z = 0
v_x = 0
v_y = 0.6
v_z = 0.3
)toml"};

// L_vv has rank 3 of 4: only with the constraint is the body's mass regular.
const Mechanism kQuaternion{"quaternion", R"toml(
[definitions]
W1 = "2*(q[1]*v_q[2] - q[2]*v_q[1] - q[3]*v_q[4] + q[4]*v_q[3])"
W2 = "2*(q[1]*v_q[3] - q[3]*v_q[1] - q[4]*v_q[2] + q[2]*v_q[4])"
W3 = "2*(q[1]*v_q[4] - q[4]*v_q[1] - q[2]*v_q[3] + q[3]*v_q[2])"
[system]
coordinates = ["q[4]"]
lagrangian = "(0.6*W1^2 + 0.8*W2^2 + W3^2)/2 - 0.4*(q[1]^2 - q[2]^2 - q[3]^2 + q[4]^2)"
[constraints]
unit = "norm2(q) = 1"
[minimal]
coordinates = ["w[3]"]
q = ["(1 - norm2(w))/(1 + norm2(w))", "2*w[1]/(1 + norm2(w))", "2*w[2]/(1 + norm2(w))", "2*w[3]/(1 + norm2(w))"]
[initial]
q = [0.8, 0.6, 0, 0]
v_q = [-0.3, 0.4, 0.5, 0.7]
)toml"};

// A pendulum whose support moves: the hidden constraint has g_t.
const Mechanism kMovingSupport{"moving_support", R"toml(
[definitions]
h = "0.3*sin(2*t)"
turn = "a + 0.3*sin(a)"
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + (y - h)^2 = 1"
[minimal]
coordinates = ["a"]
x = "sin(turn)"
y = "h - cos(turn)"
[initial]
x = 0.6
y = -0.8
p_x = 0.8
p_y = 1.2
)toml"};

// H depends on the time, on q and p together, and so does the constraint.
const Mechanism kDriven{"driven", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + (1 + 0.4*cos(t)*x^2)*p_z^2)/2 + 0.3*sin(3*t)*x + 0.2*p_y*sin(x)"
[constraints]
surface = "x^2 + y^2 + z^2 = 1 + 0.2*sin(t)*z"
[minimal]
coordinates = ["a", "b"]
x = "radius*cos(b)*cos(a)"
y = "radius*cos(b)*sin(a)"
z = "0.1*sin(t) + radius*sin(b)"
[definitions]
radius = "sqrt(1 + 0.01*sin(t)^2)"
[initial]
x = 0.6
y = 0
z = 0.8
p_x = 0.4
p_y = 0.3
p_z = -0.2
)toml"};

const Mechanism kDamped{"damped", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
dissipation = "0.3*(v_x^2 + v_y^2)/2 + 0.1*v_x^4/4"
[forces]
x = "0.2*cos(2*t)"
[constraints]
rod = "x^2 + y^2 = 1"
[minimal]
coordinates = ["a"]
x = "sin(a)"
y = "-cos(a)"
[initial]
x = 0.6
y = -0.8
p_x = 1.6
p_y = 1.2
)toml",
                        false};

// Dry friction, smooth, of strength half: the equation for the multiplier is nonlinear.
const Mechanism kFriction{"friction", R"toml(
[definitions]
speed = "x*v_y - y*v_x"
friction = "0.5*sqrt(lambda_hoop^2 + 0.01)*tanh(2*speed)"
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[forces]
x = "friction*y"
y = "-friction*x"
[constraints]
hoop = "(x^2 + y^2 - 1)/2 = 0"
[minimal]
coordinates = ["a"]
x = "sin(a)"
y = "-cos(a)"
[initial]
x = 0.6
y = -0.8
p_x = 1.6
p_y = 1.2
)toml",
                          false};

// A thermostat: a state beside the coordinates that acts back on them, and depends on a multiplier.
const Mechanism kThermostat{"thermostat", R"toml(
[system]
coordinates = ["x", "y"]
states = ["s", "u"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[equations]
s = "v_x^2 + v_y^2 - 1 - 0.1*s"
u = "x - u + 0.05*lambda_rod"
[forces]
x = "-s*v_x + 0.3*u"
y = "-s*v_y"
[constraints]
rod = "x^2 + y^2 = 1"
[minimal]
coordinates = ["a"]
x = "sin(a)"
y = "-cos(a)"
[initial]
x = 0.6
y = -0.8
p_x = 1.6
p_y = 1.2
s = 0.2
u = 0.1
)toml",
                            false};

// A rigid rod triangle stated with one rod too many times over, in 2-D, hanging from a point.
const Mechanism kRedundant{"redundant", R"toml(
[parameters]
pairs = [[1,2], [2,3], [1,3], [1,2], [2,3]]
[system]
coordinates = ["r[3,2]"]
hamiltonian = "sum(i in 1..3, norm2(p_r[i])/(2*i) + i*r[i,2])"
[constraints]
pin = "r[1] = [0, 0]"
rod = { each = "(a,b) in pairs", equation = "norm2(r[a] - r[b]) = if(a == 1, 1, 2)" }
[minimal]
coordinates = ["a"]
r = ["[0, 0]", "[cos(turn), sin(turn)]", "[-sin(turn), cos(turn)]"]
[definitions]
turn = "a + 0.3*sin(a)"
[initial]
r = [[0, 0], [0.6, -0.8], [0.8, 0.6]]
p_r = { each = "i in 1..3", value = "i*[-r[i,2], r[i,1]]" }
)toml"};

// Affine constraints that are not homogeneous, unequal masses and a potential that is not quadratic.
const Mechanism kAffine{"affine", R"toml(
[parameters]
m = [1.0, 2.5, 0.4, 1.7]
[system]
coordinates = ["x[4]"]
hamiltonian = "sum(i in 1..4, p_x[i]^2/(2*m[i]) + cos(x[i] + i)) + x[1]^2*x[3] + x[2]*x[4]^3"
[constraints]
level = "x[1] + x[2] + x[3] + x[4] = 1"
other = "2*x[1] - x[3] + 0.5*x[4] = 0.3"
[initial]
x = [0.2, 0.4, 0.3, 0.1]
p_x = [0.3, -0.2, 0.4, 0.1]
)toml"};

// A rail that moves: c depends on the time.
const Mechanism kAffineMoving{"affine_moving", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2/3)/2 + x^4/4 + x*y^2 + sin(t)*y"
[constraints]
rail = "x + 2*y = 1 + 0.3*sin(2*t)"
[initial]
x = 0.4
y = 0.3
p_x = 0.3
p_y = 0.2
)toml"};

// Affine constraints, but a mass that depends on q.
const Mechanism kAffineMetric{"affine_metric", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(1 + x^2)*(p_x^2 + p_y^2 + p_z^2)/2 + y + x*z^2"
[constraints]
line = "x + 2*y - z = 1"
[initial]
x = 0.4
y = 0.3
z = 0
p_x = 0.3
p_y = 0.2
p_z = 0.1
)toml"};

// lambda = -1 + x sqrt(lambda^2 + 1) has a solution for x < 1 only.
const Mechanism kJamming{"jamming", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[forces]
y = "x*sqrt(lambda_floor^2 + 1)"
[constraints]
floor = "y = 0"
[initial]
x = 0.5
y = 0
p_x = 0.1
p_y = 0
)toml",
                         false};

std::vector<Mechanism> mechanisms() {
  return {kHeavyChain, kCurvedMass, kRelativistic, kQuaternion, kMovingSupport, kDriven,      kDamped,
          kFriction,   kThermostat, kRedundant,    kAffine,     kAffineMoving,  kAffineMetric};
}

std::vector<Mechanism> all_systems() {
  std::vector<Mechanism> all = mechanisms();
  for (const auto& problem : problems()) all.push_back({problem.name, problem.text});
  return all;
}

bool takes(std::string_view formulation, const Mechanism& mechanism) {
  if (formulation == "equations") return false;
  if (formulation == "lagrange-2") return mechanism.text.find("[minimal]") != std::string::npos;
  if (formulation == "linear-hamiltonian")
    return mechanism.name == "affine" || mechanism.name == "affine_moving" || mechanism.name == "free";
  return true;
}

}  // namespace cotangent::test
