#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/problems.hpp"

// The bits of end states of short runs: of every method, every formulation, every system of the tests, in every number
// type. bits.txt holds one line for each. A change that is meant to leave the numbers alone leaves the file alone;
// one that is meant to change them writes it anew, with COTANGENT_GOLDEN=update, and says why in its commit.

namespace cotangent::test {
namespace {

constexpr int kSteps = 8;
constexpr double kStep = 0.03125;

/// FNV-1a over the bytes of numbers.
class Hash {
 public:
  void add(const auto& number) {
    std::array<unsigned char, sizeof(number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    for (const unsigned char byte : bytes) state_ = (state_ ^ byte) * 0x100000001b3U;
  }
  void add(const Tangents& number) {
    add(number.value);
    for (const double d : number.d) add(d);
  }
  std::string text() const {
    std::ostringstream out;
    out << std::hex << std::setw(16) << std::setfill('0') << state_;
    return out.str();
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

template <class T>
struct Name;
template <>
struct Name<double> {
  static constexpr const char* text = "double";
};
template <>
struct Name<Quad> {
  static constexpr const char* text = "quad";
};
template <>
struct Name<Lanes> {
  static constexpr const char* text = "lanes";
};
template <>
struct Name<Tangents> {
  static constexpr const char* text = "tangents";
};

/// The start of a system in arithmetic T: lanes differ a little, tangents are (1, 0), (0, 1) in turn.
template <class T>
PhasePoint<T> start_of(const Model& model, const std::shared_ptr<const Elements>& elements) {
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const PhasePoint<double> z = make_initial_data(model, manifold).z;
  PhasePoint<T> result(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  result.t = z.t;
  for (const auto& [from, to] : {std::pair(&z.q, &result.q), {&z.p, &result.p}, {&z.s, &result.s}})
    for (std::size_t j = 0; j < from->size(); ++j) {
      (*to)[j] = T((*from)[j]);
      if constexpr (std::is_same_v<T, Tangents>) (*to)[j].d[j % 2] = 1;
    }
  return result;
}

template <class T>
std::string bits(const Mechanism& mechanism, const std::string& method, const std::string& formulation) {
  const Model model = read_model_text(mechanism.text, mechanism.name);
  std::vector<std::string> notes;
  const auto elements = regular_elements(model, notes);
  constexpr bool is_double = std::is_same_v<LaneOf<T>, double> || std::is_same_v<T, Tangents>;
  System<T> system(elements, has_jit() && is_double ? Backend::jit : Backend::interpreter);
  Manifold<T> manifold(system);
  const auto integrator = find_method<T>(method).make(manifold, formulation, {});
  Point<T> z = start_of<T>(model, elements);
  Hash hash;
  for (int k = 0; k < kSteps; ++k)
    if (const auto report = integrator->step(z, kStep); report.status != StepStatus::ok) {
      hash.add(k);
      hash.add(static_cast<int>(report.status));
      break;
    }
  for (const auto* part : {&z->q, &z->p, &z->s})
    for (const T& x : *part) hash.add(x);
  return hash.text();
}

class Rows {
 public:
  template <class T>
  void add(const Mechanism& mechanism, const std::string& method, const std::string& formulation = "") {
    const std::string row = std::string(Name<T>::text) + " " + mechanism.name + " " + method +
                            (formulation.empty() ? "" : " under " + formulation);
    try {
      all_[row] = bits<T>(mechanism, method, formulation);
    } catch (const std::invalid_argument&) {  // a method that does not take this system
      all_[row] = "refused";
    }
  }
  const std::map<std::string, std::string>& all() const { return all_; }

 private:
  std::map<std::string, std::string> all_;
};

Mechanism named(const std::string& name) {
  for (const auto& each : all_systems())
    if (each.name == name) return each;
  throw std::out_of_range(name);
}

std::map<std::string, std::string> compute() {
  Rows rows;
  const Mechanism small = named("double_pendulum"), general = kCurvedMass;
  for (const auto& method : methods<double>()) rows.add<double>(small, method.facts.name);
  for (const auto& entry : formulations<double>())
    for (const char* method : {"rk4", "gauss:2"})
      if (takes(entry.facts.name, small)) rows.add<double>(small, method, entry.facts.name);
  for (const auto& each : all_systems()) {
    rows.add<double>(each, "rattle");
    rows.add<double>(each, "project:both(rk4)");
    rows.add<Quad>(each, "rattle");
  }
  for (const auto& each : {small, general})
    for (const char* method :
         {"rattle", "lobatto:2", "gauss:2", "rk4", "symmetric(rk4)", "compose:4(rattle)", "hem4"}) {
      rows.add<Quad>(each, method);
      rows.add<Lanes>(each, method);
      rows.add<Tangents>(each, method);
    }
  return rows.all();
}

TEST(SlowGolden, BitsAreThose) {
  const std::string path = COTANGENT_GOLDEN_BITS;
  const auto found = compute();
  if (const char* wish = std::getenv("COTANGENT_GOLDEN"); wish != nullptr && std::string(wish) == "update") {
    std::ofstream out(path);
    for (const auto& [row, hash] : found) out << hash << " " << row << "\n";
    return;
  }
  std::map<std::string, std::string> golden;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto space = line.find(' ');
    golden[line.substr(space + 1)] = line.substr(0, space);
  }
  for (const auto& [row, hash] : found) EXPECT_EQ(golden[row], hash) << row;
  EXPECT_EQ(golden.size(), found.size()) << "rows of " << path << " that nothing computes any more";
}

}  // namespace
}  // namespace cotangent::test
