#include "tests/system/black_boxes.hpp"

#include <cmath>

namespace cotangent::test {

using C = const double*;

Twins pendulum_twins() {
  BlackBox box;
  box.n = 2;
  box.m = 1;
  box.H = [](C q, C p, double) { return (p[0] * p[0] + p[1] * p[1]) / 2 + q[1]; };
  box.H_q = [](C, C, double, double* out) {
    out[0] = 0;
    out[1] = 1;
  };
  box.H_p = [](C, C p, double, double* out) {
    out[0] = p[0];
    out[1] = p[1];
  };
  box.g = [](C q, double, double* out) { out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; };
  box.G = [](C q, double, double* out) {
    out[0] = q[0];
    out[1] = q[1];
  };
  box.H_pp_times = [](C, C, double, C a, double* out) {
    out[0] = a[0];
    out[1] = a[1];
  };
  box.g_second = [](C, double, C a, C b, double* out) { out[0] = a[0] * b[0] + a[1] * b[1]; };
  box.is_separable = true;
  box.H_pp_pattern = BlackBox::MassPattern::diagonal;
  box.constraint_names = {"rod"};
  return {box, {.name = "pendulum", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "(x^2 + y^2 - 1)/2 = 0"
[initial]
x = 0.8
y = -0.6
p_x = 0.3
p_y = 0.4
)toml"}};
}

Twins double_pendulum_twins() {
  BlackBox box;
  box.n = 4;
  box.m = 2;
  box.H = [](C q, C p, double) {
    const double T = (p[0] * p[0] + p[1] * p[1]) / 2 + (p[2] * p[2] + p[3] * p[3]);
    return T + 0.3 * (p[0] * p[2] + p[1] * p[3]) + q[1] + 0.5 * q[3];
  };
  box.H_q = [](C, C, double, double* out) {
    out[0] = out[2] = 0;
    out[1] = 1;
    out[3] = 0.5;
  };
  box.H_p = [](C, C p, double, double* out) {
    for (int i = 0; i < 2; ++i) {
      out[i] = p[i] + 0.3 * p[2 + i];
      out[2 + i] = 2 * p[2 + i] + 0.3 * p[i];
    }
  };
  box.H_pp_times = [](C, C, double, C a, double* out) {
    for (int i = 0; i < 2; ++i) {
      out[i] = a[i] + 0.3 * a[2 + i];
      out[2 + i] = 2 * a[2 + i] + 0.3 * a[i];
    }
  };
  box.g = [](C q, double, double* out) {
    out[0] = q[0] * q[0] + q[1] * q[1] - 1;
    out[1] = std::hypot(q[2] - q[0], q[3] - q[1]) - 0.7;
  };
  box.G_pattern = {{0, 0}, {0, 1}, {1, 2}, {1, 3}, {1, 0}, {1, 1}};
  box.G = [](C q, double, double* out) {
    const double x = q[2] - q[0], y = q[3] - q[1], r = std::hypot(x, y);
    out[0] = 2 * q[0];
    out[1] = 2 * q[1];
    out[2] = x / r;
    out[3] = y / r;
    out[4] = -x / r;
    out[5] = -y / r;
  };
  box.g_second = [](C q, double, C a, C b, double* out) {
    out[0] = 2 * (a[0] * b[0] + a[1] * b[1]);
    const double x = q[2] - q[0], y = q[3] - q[1], r = std::hypot(x, y);
    const double ax = a[2] - a[0], ay = a[3] - a[1], bx = b[2] - b[0], by = b[3] - b[1];
    out[1] = (ax * bx + ay * by) / r - (x * ax + y * ay) * (x * bx + y * by) / (r * r * r);
  };
  box.is_separable = true;
  box.H_pp_pattern = BlackBox::MassPattern::sparse;
  box.H_pp_places = {{0, 2}, {1, 3}};
  return {box, {.name = "double_pendulum", .text = R"toml(
[system]
coordinates = ["x1", "y1", "x2", "y2"]
hamiltonian = "(p_x1^2 + p_y1^2)/2 + p_x2^2 + p_y2^2 + 0.3*(p_x1*p_x2 + p_y1*p_y2) + y1 + 0.5*y2"
[constraints]
upper = "x1^2 + y1^2 = 1"
lower = "sqrt((x2 - x1)^2 + (y2 - y1)^2) = 0.7"
[initial]
x1 = 0.3
y1 = -0.95
x2 = 0.5
y2 = -1.6
p_x1 = 0.2
p_y1 = 0.1
p_x2 = -0.2
p_y2 = 0.1
)toml"}};
}

namespace {

// W = I + x (e y' + y e'), with e = (1, 0, 0) and y = (0, 1/2, 1/4), so that all of H_pp depends on q.
void metric_times(double x, C a, double* out) {
  out[0] = a[0] * (1 + x * x) + x * (a[1] / 2 + a[2] / 4);
  out[1] = a[1] + x * a[0] / 2;
  out[2] = a[2] + x * a[0] / 4;
}

}  // namespace

Twins metric_twins() {
  BlackBox box;
  box.n = 3;
  box.m = 1;
  box.H = [](C q, C p, double) {
    double v[3];
    metric_times(q[0], p, v);
    return (p[0] * v[0] + p[1] * v[1] + p[2] * v[2]) / 2 + q[2] + 0.2 * std::sin(q[1]);
  };
  box.H_q = [](C q, C p, double, double* out) {
    out[0] = q[0] * p[0] * p[0] + p[0] * (p[1] / 2 + p[2] / 4);
    out[1] = 0.2 * std::cos(q[1]);
    out[2] = 1;
  };
  box.H_p = [](C q, C p, double, double* out) { metric_times(q[0], p, out); };
  box.H_pp_times = [](C q, C, double, C a, double* out) { metric_times(q[0], a, out); };
  box.H_p_along = [](C q, C p, double, C a, C b, double* out) {
    metric_times(q[0], b, out);
    out[0] += a[0] * (2 * q[0] * p[0] + p[1] / 2 + p[2] / 4);
    out[1] += a[0] * p[0] / 2;
    out[2] += a[0] * p[0] / 4;
  };
  box.H_q_along = [](C q, C p, double, C a, C b, double* out) {
    out[0] = a[0] * p[0] * p[0] + 2 * q[0] * p[0] * b[0] + b[0] * (p[1] / 2 + p[2] / 4) + p[0] * (b[1] / 2 + b[2] / 4);
    out[1] = -0.2 * std::sin(q[1]) * a[1];
    out[2] = 0;
  };
  box.g = [](C q, double, double* out) { out[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1; };
  box.G = [](C q, double, double* out) {
    for (int j = 0; j < 3; ++j) out[j] = 2 * q[j];
  };
  box.g_second = [](C, double, C a, C b, double* out) { out[0] = 2 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]); };
  return {box,
          {.name = "metric",
           .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2*(1 + x^2) + p_y^2 + p_z^2)/2 + x*p_x*(p_y/2 + p_z/4) + z + 0.2*sin(y)"
[constraints]
sphere = "x^2 + y^2 + z^2 = 1"
[initial]
x = 0.6
y = 0.5
z = -0.6
p_x = 0.3
p_y = -0.4
p_z = 0.2
)toml",
           .separable = false,
           .diagonal_mass = false}};
}

Twins moving_twins() {
  BlackBox box;
  box.n = 2;
  box.m = 1;
  const auto W = [](double t) { return 1 + 0.1 * std::sin(t); };
  const auto W_t = [](double t) { return 0.1 * std::cos(t); };
  const auto s = [](double t) { return 0.3 * std::sin(2 * t); };
  const auto s_t = [](double t) { return 0.6 * std::cos(2 * t); };
  box.H = [=](C q, C p, double t) { return W(t) * (p[0] * p[0] + p[1] * p[1]) / 2 + q[1]; };
  box.H_t = [=](C, C p, double t) { return W_t(t) * (p[0] * p[0] + p[1] * p[1]) / 2; };
  box.H_q = [](C, C, double, double* out) {
    out[0] = 0;
    out[1] = 1;
  };
  box.H_p = [=](C, C p, double t, double* out) {
    out[0] = W(t) * p[0];
    out[1] = W(t) * p[1];
  };
  box.H_pp_times = [=](C, C, double t, C a, double* out) {
    out[0] = W(t) * a[0];
    out[1] = W(t) * a[1];
  };
  box.H_pt = [=](C, C p, double t, double* out) {
    out[0] = W_t(t) * p[0];
    out[1] = W_t(t) * p[1];
  };
  box.g = [=](C q, double t, double* out) {
    const double x = q[0] - s(t);
    out[0] = (x * x + q[1] * q[1] - 1) / 2;
  };
  box.G = [=](C q, double t, double* out) {
    out[0] = q[0] - s(t);
    out[1] = q[1];
  };
  box.g_t = [=](C q, double t, double* out) { out[0] = -(q[0] - s(t)) * s_t(t); };
  box.g_second = [](C, double, C a, C b, double* out) { out[0] = a[0] * b[0] + a[1] * b[1]; };
  box.g_t_along = [=](C q, double t, C a, double* out) {
    out[0] = -a[0] * s_t(t) + s_t(t) * s_t(t) + (q[0] - s(t)) * 4 * s(t);
  };
  box.is_separable = true;
  box.H_pp_pattern = BlackBox::MassPattern::diagonal;
  return {box, {.name = "moving", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(1 + 0.1*sin(t))*(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "((x - 0.3*sin(2*t))^2 + y^2 - 1)/2 = 0"
[initial]
x = 0.8
y = -0.6
p_x = 0.6
p_y = 0.0
)toml"}};
}

std::vector<Twins> all_twins() { return {pendulum_twins(), double_pendulum_twins(), metric_twins(), moving_twins()}; }

BlackBox without_second_derivatives(BlackBox box) {
  box.H_pp_times = nullptr;
  box.H_p_along = box.H_q_along = nullptr;
  box.H_pt = nullptr;
  box.g_second = nullptr;
  box.g_t_along = nullptr;
  return box;
}

BlackBox chain_box(std::int64_t N, Counts* counts) {
  BlackBox box;
  box.n = 2 * N;
  box.m = N;
  box.is_separable = true;
  box.H_pp_pattern = BlackBox::MassPattern::diagonal;
  box.H = [N](C q, C p, double) {
    double sum = 0;
    for (std::int64_t j = 0; j < 2 * N; ++j) sum += p[j] * p[j] / 2 + (j % 2 == 1 ? q[j] : 0);
    return sum;
  };
  box.H_q = [N](C, C, double, double* out) {
    for (std::int64_t j = 0; j < 2 * N; ++j) out[j] = j % 2 == 1 ? 1 : 0;
  };
  box.H_p = [N](C, C p, double, double* out) { std::copy_n(p, 2 * N, out); };
  box.H_pp_times = [N, counts](C, C, double, C a, double* out) {
    ++counts->H_pp_times;
    std::copy_n(a, 2 * N, out);
  };
  box.g = [N](C q, double, double* out) {
    for (std::int64_t i = 0; i < N; ++i) {
      const double x = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0), y = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
      out[i] = (x * x + y * y - 1) / 2;
    }
  };
  for (std::int64_t i = 0; i < N; ++i)
    for (std::int64_t c = i > 0 ? 2 * i - 2 : 0; c < 2 * i + 2; ++c) box.G_pattern.emplace_back(i, c);
  box.G = [N, counts](C q, double, double* out) {
    ++counts->G;
    for (std::int64_t i = 0; i < N; ++i) {
      const double x = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0), y = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
      if (i > 0) {
        *out++ = -x;
        *out++ = -y;
      }
      *out++ = x;
      *out++ = y;
    }
  };
  return box;
}

}  // namespace cotangent::test
