#include "cotangent/integrator/routine.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "cotangent/kernel/recorded_kernel.hpp"

namespace cotangent {
namespace {

// Longer ones gain nothing: operations of larger systems are vector code, calls cost little there, and the time that
// LLVM takes for an operation grows.
constexpr std::size_t kMostOperations = 3000;

// What a step does to each coordinate takes more of them than this. Larger systems are not even looked at.
constexpr std::int64_t kLeastPerCoordinate = 20;

bool may_be_recorded(System<double>& system) {
  return system.source() == nullptr &&
         kLeastPerCoordinate * (system.n() + system.state_count()) <= static_cast<std::int64_t>(kMostOperations);
}

// Ways that steps go, with so many Newton corrections here and there.
constexpr std::size_t kMostCodes = 8;

// A try that fails takes an eighth of a step by calls. A code of which that many fail for each one that does not
// is of no use; nobody can tell before so many tries. Where none is of use, steps go too many ways.
constexpr std::int64_t kMostFailures = 4, kFirstTries = 100;

// Vectors of the kernels; those of the memory come last.
enum Vector : int { numbers, wanted, state, own = state + 6, trajectory = own + 4, memory };

// What is in `numbers`; the first are only read, the last is only written.
enum Number : int { h_now, noise, t = noise + 3, t_low, h_before, h_before_that, moved, relaxed = moved + 6, error };

template <class T>
PhasePoint<T>& state_of(Point<T>& z) {
  return z.adjust();
}
template <class T>
const PhasePoint<T>& state_of(const Point<T>& z) {
  return z.state();
}

// Calls visit(vector, x) for all vectors of a point.
template <class P, class Visit>
void visit_vectors(P& z, const Visit& visit) {
  auto& x = state_of(z);
  auto& y = z.own();
  int vector = state;
  for (auto* part : {&x.q, &x.p, &x.s, &x.q_low, &x.p_low, &x.s_low, &y.q, &y.p, &y.q_low, &y.p_low})
    visit(vector++, *part);
  visit(trajectory, z.trajectory().numbers);
  vector = memory;
  for (auto& part : z.memory().numbers) visit(vector++, part);
}

// Calls visit(number, x) for its other numbers.
template <class P, class Visit>
void visit_numbers(P& z, const Visit& visit) {
  auto& x = state_of(z);
  visit(t, x.t);
  visit(t_low, x.t_low);
  visit(h_before, z.memory().h);
  visit(h_before_that, z.memory().h_before);
}

template <class T, class Visit>
void visit_numbers(ProjectionTally<T>& tally, const Visit& visit) {
  int number = moved;
  for (auto* by : {&tally.largest, &tally.total})
    for (T* part : {&by->q, &by->p, &by->s}) visit(number++, *part);
  visit(relaxed, tally.relaxation.change);
}

// What is no number, in one point and another.
template <class T, class U>
bool are_alike(const Point<T>& a, const Point<U>& b) {
  const auto &of_a = a.memory(), &of_b = b.memory();
  const auto &own_a = a.own(), &own_b = b.own();
  if (of_a.owner != of_b.owner || of_a.depth != of_b.depth || of_a.numbers.size() != of_b.numbers.size()) return false;
  for (std::size_t k = 0; k < of_a.numbers.size(); ++k)
    if (of_a.numbers[k].size() != of_b.numbers[k].size()) return false;
  return own_a.owner == own_b.owner && own_a.is_current == own_b.is_current && own_a.q.size() == own_b.q.size() &&
         own_a.p.size() == own_b.p.size() && own_a.q_low.size() == own_b.q_low.size() &&
         own_a.p_low.size() == own_b.p_low.size() && own_a.chart.empty() && own_b.chart.empty() &&
         a.trajectory().numbers.size() == b.trajectory().numbers.size() &&
         a.trajectory().counts.size() == b.trajectory().counts.size();
}

// The same but for numbers, which are zero.
template <class T, class U>
void take_form(const Point<T>& from, Point<U>& to) {
  std::vector<std::size_t> sizes;
  const auto& memory_of = from.memory();
  const auto& own_of = from.own();
  to.memory().owner = memory_of.owner;
  to.memory().depth = memory_of.depth;
  to.memory().numbers.resize(memory_of.numbers.size());
  to.own().owner = own_of.owner;
  to.own().is_current = own_of.is_current;
  to.own().steps = own_of.steps;
  to.own().chart = own_of.chart;
  to.own().quality = own_of.quality;
  to.trajectory().counts = from.trajectory().counts;
  visit_vectors(from, [&](int, const auto& x) { sizes.push_back(x.size()); });
  auto next = sizes.begin();
  visit_vectors(to, [&](int, auto& x) { x.resize(*next++); });
}

}  // namespace

/// One way that steps go.
struct Routine::Code {
  Kernel<double> kernel;
  Point<double> form;                 ///< that of the points where it can begin, which is that of those where it ends
  std::vector<std::int64_t> counted;  ///< by how much the counts of a trajectory grow in a step
  std::int64_t own_steps = 0, projections = 0, relaxations = 0, scalings = 0;
  std::int64_t failures = 0, successes = 0;
  std::size_t nullity = 0;  ///< see ConstraintMatrix
  StepReport<double> report;
};

Routine::Routine(std::unique_ptr<Integrator<double>> method, Manifold<double>& manifold,
                 std::function<StepMap<Traced>()> remake, std::int64_t worth_code)
    : Integrator<double>(method->facts()),
      method_(std::move(method)),
      manifold_(manifold),
      remake_(std::move(remake)),
      worth_code_(worth_code),
      is_possible_(may_be_recorded(manifold.system())) {}

Routine::~Routine() = default;

// --- What the method is told.

void Routine::hold_chart(const Point<double>& begin) { method_->hold_chart(begin); }
bool Routine::held_right_chart(const Point<double>& begin, const Point<double>& end) {
  return method_->held_right_chart(begin, end);
}
bool Routine::held_another_chart(const Point<double>& begin, double h) { return method_->held_another_chart(begin, h); }
void Routine::release_chart() { method_->release_chart(); }

void Routine::count_projections(ProjectionTally<double>* tally) {
  tally_ = tally;
  method_->count_projections(tally);
}

void Routine::tolerate(const Tolerance& tolerance, const StepNoiseOf<double>& noise_now) {
  if (tolerance_ != tolerance) codes_.clear();
  tolerance_ = tolerance;
  noise_ = noise_now;
  method_->tolerate(tolerance, noise_now);
}

// --- Steps.

StepReport<double> Routine::make_step(const Point<double>& z, double h, Point<double>& end) {
  StepReport<double> report;
  if (run(z, h, 1, end, report) == 1) return report;
  note_call(z, h);
  return method_->step(z, h, end);
}

StepReport<double> Routine::advance(Point<double>& z, double h, std::int64_t steps, std::int64_t& done) {
  StepReport<double> report, total;
  for (done = 0; done < steps;) {
    std::int64_t made = run(z, h, steps - done, z, report);
    if (made == 0) {
      note_call(z, h);
      // As long as there is no code, all steps until there is some.
      std::int64_t by_calls = is_possible_ ? 1 : steps - done;
      if (is_possible_ && codes_.empty()) by_calls = std::clamp<std::int64_t>(worth_code_ - calls_, 1, steps - done);
      report = method_->advance(z, h, by_calls, made);
      calls_ += std::max<std::int64_t>(0, made - 1);
    }
    add_work(report, total);
    done += made;
    if (report.status != StepStatus::ok) break;
  }
  report.iterations = report.evaluations = report.charts = 0;
  add_work(total, report);
  return report;
}

// Up to so many steps from z to `end`, which may be z, in a way that they all go. @return how many.
std::int64_t Routine::run(const Point<double>& z, double h, std::int64_t steps, Point<double>& end,
                          StepReport<double>& report) {
  for (auto next = codes_.begin(); next != codes_.end();) {
    const auto code = next++;
    if (!are_alike(z, code->form) || code->nullity != manifold_.matrix().nullity()) continue;
    const std::int64_t made = run(*code, z, h, steps, end);
    if (made == 0) {
      if (++code->failures > kMostFailures * code->successes + kFirstTries) codes_.erase(code);
      is_possible_ = !codes_.empty();
      continue;
    }
    ++code->successes;
    report = code->report;
    report.error = after_[error];
    report.iterations *= made;
    report.evaluations *= made;
    codes_.splice(codes_.begin(), codes_, code);
    compiled_steps_ += made;
    return made;
  }
  return 0;
}

std::int64_t Routine::run(const Code& code, const Point<double>& z, double h, std::int64_t steps, Point<double>& end) {
  if (!are_alike(end, code.form)) take_form(code.form, end);
  const auto put = [this](int number, double x) { before_[static_cast<std::size_t>(number)] = x; };
  const auto get = [this](int number, double& x) { x = after_[static_cast<std::size_t>(number)]; };
  put(h_now, h);
  std::copy(noise_.begin(), noise_.end(), &before_[noise]);
  visit_numbers(z, put);
  if (tally_) visit_numbers(*tally_, put);

  const auto passes = static_cast<double>(steps);
  double done = 0;
  in_[numbers] = before_.data();
  out_[numbers] = after_.data();
  in_[wanted] = &passes;
  out_[wanted] = &done;
  visit_vectors(z, [this](int vector, const auto& x) { in_[static_cast<std::size_t>(vector)] = x.data(); });
  visit_vectors(end, [this](int vector, auto& x) { out_[static_cast<std::size_t>(vector)] = x.data(); });
  code.kernel(in_.data(), out_.data());
  const auto made = static_cast<std::int64_t>(done);
  if (made == 0) return 0;

  visit_numbers(end, get);
  end.own().steps = z.own().steps + made * code.own_steps;
  end.own().quality = z.own().quality;
  for (std::size_t k = 0; k < code.counted.size(); ++k)
    end.trajectory().counts[k] = z.trajectory().counts[k] + made * code.counted[k];
  if (tally_) {
    visit_numbers(*tally_, get);
    tally_->count += made * code.projections;
    tally_->relaxation.points += made * code.relaxations;
    tally_->scaling.points += made * code.scalings;
  }
  return made;
}

// --- Recordings.

void Routine::note_call(const Point<double>& z, double h) {
  if (!is_possible_ || codes_.size() == kMostCodes || ++calls_ < worth_code_) return;
  calls_ = 0;
  worth_code_ *= 2;
  is_possible_ = z.own().chart.empty();
  if (!is_possible_) return;
  try {
    record(z, h);
  } catch (const std::exception&) {
    is_possible_ = false;  // such as a black box, which takes no other numbers
  }
}

void Routine::record(const Point<double>& z, double h) {
  const StepMap<Traced> map = remake_();
  map.manifold->matrix().set_nullity(manifold_.matrix().nullity());
  RecordedKernel kernel{.inputs = {}, .results = {}, .passes = wanted, .done = wanted};
  Recording recording(kMostOperations);
  const auto read = [&](int vector, std::size_t at, double x) {
    kernel.inputs.push_back({vector, static_cast<std::int64_t>(at)});
    return recording.input(x);
  };
  const auto read_number = [&](int number, double x) { return read(numbers, static_cast<std::size_t>(number), x); };

  Point<Traced> begin, end;
  take_form(z, begin);
  std::vector<double> values;
  visit_vectors(z, [&](int, const auto& x) { values.insert(values.end(), x.begin(), x.end()); });
  auto next = values.begin();
  visit_vectors(begin, [&](int vector, auto& x) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = read(vector, k, *next++);
  });
  visit_numbers(z, [&](int number, double x) { before_[static_cast<std::size_t>(number)] = x; });
  const auto read_before = [&](int number, Traced& x) {
    x = read_number(number, before_[static_cast<std::size_t>(number)]);
  };
  visit_numbers(begin, read_before);
  ProjectionTally<Traced> tally;
  visit_numbers(tally, read_before);
  map.integrator->count_projections(&tally);
  if (tolerance_) {
    StepNoiseOf<Traced> below;
    for (std::size_t k = 0; k < below.size(); ++k) below[k] = read_number(noise + static_cast<int>(k), noise_[k]);
    map.integrator->tolerate(*tolerance_, below);
  }

  const StepReport<Traced> report = map.integrator->step(begin, read_number(h_now, h), end);
  is_possible_ = !recording.has_failed();
  // The next step must be able to begin where this one ends.
  if (!is_possible_ || report.status != StepStatus::ok || !are_alike(end, z)) return;

  const auto write = [&](int vector, std::size_t at, const Traced& x) {
    kernel.results.push_back({x, {vector, static_cast<std::int64_t>(at)}});
  };
  const auto write_number = [&](int number, const Traced& x) { write(numbers, static_cast<std::size_t>(number), x); };
  visit_vectors(end, [&](int vector, const auto& x) {
    for (std::size_t k = 0; k < x.size(); ++k) write(vector, k, x[k]);
  });
  visit_numbers(end, write_number);
  visit_numbers(tally, write_number);
  write_number(error, report.error);

  Code& code = codes_.emplace_front();
  code.kernel = manifold_.system().compiler().add(kernel.plan(recording));
  take_form(z, code.form);
  code.nullity = manifold_.matrix().nullity();
  for (std::size_t k = 0; k < z.trajectory().counts.size(); ++k)
    code.counted.push_back(end.trajectory().counts[k] - z.trajectory().counts[k]);
  code.own_steps = end.own().steps - z.own().steps;
  code.projections = tally.count;
  code.relaxations = tally.relaxation.points;
  code.scalings = tally.scaling.points;
  code.report.iterations = report.iterations;
  code.report.evaluations = report.evaluations;
  in_.resize(std::max(in_.size(), memory + z.memory().numbers.size()));
  out_.resize(in_.size());
}

}  // namespace cotangent
