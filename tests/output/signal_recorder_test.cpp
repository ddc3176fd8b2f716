#include "cotangent/output/signal_recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

constexpr const char* kModel = R"toml(
[system]
coordinates = ["x", "r[2, 2]"]
states = ["u"]
hamiltonian = "p_x^2/4 + sum(i in 1..2, norm2(p_r[i])/2)"
[equations]
u = 1
[observables]
double = "2*x"
pair = { each = "i in 1..2", value = "i*x" }
[initial]
x = 0
r = 0
p_x = 0
p_r = 0
u = 0
)toml";

class SignalRecorders : public testing::Test {
 protected:
  SignalRecorders()
      : model(read_model_text(kModel, "test.toml")),
        system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter),
        manifold(system),
        monitors({"energy"}, manifold),
        z(5, 1) {
    monitors.start(z);
  }

  void record(SignalRecorder<double>& recorder, double t) {
    z.t = t;

    monitors.observe(z);
    recorder.record(z, monitors);
  }

  Model model;
  System<double> system;
  Manifold<double> manifold;
  MonitorSet<double> monitors;
  PhasePoint<double> z;
};

TEST_F(SignalRecorders, KeepEverythingThatHasAName) {
  SignalRecorder<double> recorder(model, manifold, monitors,
                                  {"x", "r[1,2]", "p_x", "p_r[2,1]", "v_x", "u", "double", "pair[2]", "energy"});
  z.q = {1, 11, 21, 12, 22};
  z.p = {4, 0, 7, 0, 0};
  z.s = {3};
  record(recorder, 0);
  const std::vector<double> expected{1, 12, 4, 7, 2, 3, 2, 2, 4 + 24.5};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    ASSERT_EQ(recorder.samples(k).size(), 1U);
    EXPECT_EQ(recorder.samples(k)[0], expected[k]) << recorder.names()[k];
  }
}

TEST_F(SignalRecorders, RefuseUnknownNamesWithASuggestion) {
  try {
    SignalRecorder<double> recorder(model, manifold, monitors, {"x", "enrgy"});
    ADD_FAILURE();
  } catch (const UnknownName& error) {
    EXPECT_NE(error.suggestion().find("energy"), std::string::npos);
  }
}

TEST_F(SignalRecorders, LeaveOutALastPointThatComesTooSoon) {
  SignalRecorder<double> recorder(model, manifold, monitors, {"u"});
  for (int k = 0; k < 10; ++k) record(recorder, 0.1 * k);
  record(recorder, 0.95);
  EXPECT_EQ(recorder.samples(0).size(), 10U);
  EXPECT_NEAR(recorder.spacing(), 0.1, 1e-15);
}

TEST_F(SignalRecorders, EndASignalThatIsNotFinite) {
  SignalRecorder<double> recorder(model, manifold, monitors, {"u", "x"});
  for (int k = 0; k < 4; ++k) {
    z.s = {k == 2 ? std::nan("") : 1.0};
    record(recorder, k);
  }
  EXPECT_EQ(recorder.samples(0).size(), 2U);
  EXPECT_EQ(recorder.samples(1).size(), 4U);
}

}  // namespace
}  // namespace cotangent
