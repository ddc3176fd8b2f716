#include "cotangent/integrator/routine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include "cotangent/kernel/recorded_kernel.hpp"

namespace cotangent {
namespace {

// What a step does to each coordinate takes more of them than this. Larger systems are not even looked at.
constexpr std::int64_t kLeastPerCoordinate = 20;

bool may_be_recorded(System<double>& system, std::size_t longest) {
  return kLeastPerCoordinate * (system.n() + system.state_count()) <= static_cast<std::int64_t>(longest);
}

// The most ways that one model tells apart: each combination of counts of Newton corrections is one.
constexpr std::size_t kMostWays = 16;

// A try that fails takes no longer than a step by code gains. A code of which more fail than it makes steps is of no
// use. Fewer than this many tries do not show it.
constexpr std::int64_t kFirstTries = 100;

// Where steps go many ways the most frequent ones are recorded, until at most one step in kRare goes another.
constexpr std::int64_t kRare = 16;

// k steps foretell the ways of kForesight k more.
constexpr std::int64_t kForesight = 16;

// Vectors of the kernels; those of the memory come last.
enum Vector : int { numbers, wanted, state, own = state + 6, trajectory = own + 4, memory };

// The entries of `numbers`: the first are only read, the last is only written. Counts begin with zero.
enum Number : int {
  h_now,
  noise,
  t = noise + 3,
  t_low,
  h_before,
  h_before_that,
  moved,
  relaxed = moved + 6,
  iterations,
  evaluations,
  projections,
  relaxations,
  scalings,
  error
};

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

// `to` becomes like `from` but for its numbers. Does not allocate where it has been like it before.
template <class T, class U>
void take_form(const Point<T>& from, Point<U>& to) {
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
  const auto vector_of = [&to](int vector) -> std::vector<U>& {
    auto& x = to.adjust();
    auto& y = to.own();
    const std::array all{
        &x.q, &x.p, &x.s, &x.q_low, &x.p_low, &x.s_low, &y.q, &y.p, &y.q_low, &y.p_low, &to.trajectory().numbers};
    return vector < memory ? *all[static_cast<std::size_t>(vector - state)]
                           : to.memory().numbers[static_cast<std::size_t>(vector - memory)];
  };
  visit_vectors(from, [&](int vector, const auto& x) { vector_of(vector).resize(x.size()); });
}

}  // namespace

/// The ways of steps that are told apart by numbers.
struct Routine::Code {
  RecordedKernel recorded;
  Kernel<double> kernel;              ///< of the ways that there were when it was made
  KernelPlan plan;                    ///< of all
  bool is_new = false;                ///< it has more ways than the kernel
  Point<double> form;                 ///< that of the points where it can begin, which is that of those where it ends
  std::vector<std::int64_t> counted;  ///< by how much the counts of a trajectory grow in a step
  std::int64_t own_steps = 0;
  std::size_t nullity = 0;              ///< see ConstraintMatrix
  std::int64_t failures = 0, made = 0;  ///< tries and steps since there is this kernel
};

Routine::Routine(std::unique_ptr<Integrator<double>> method, Manifold<double>& manifold,
                 std::function<StepMap<Traced>()> remake, std::int64_t expected_steps, const Costs& costs)
    : Integrator<double>(method->facts()),
      method_(std::move(method)),
      manifold_(manifold),
      remake_(std::move(remake)),
      expected_steps_(expected_steps),
      costs_(costs),
      worth_code_(costs.first_calls),
      is_possible_(may_be_recorded(manifold.system(), costs.longest)) {}

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
  if (tolerance_ != tolerance) {
    codes_.clear();
    seen_.clear();
    ways_ = 0;
  }
  tolerance_ = tolerance;
  noise_ = noise_now;
  method_->tolerate(tolerance, noise_now);
}

// --- Steps.

StepReport<double> Routine::make_step(const Point<double>& z, double h, Point<double>& end) {
  StepReport<double> report;
  if (run(z, h, 1, end, report) == 1) return report;
  report = method_->step(z, h, end);
  if (report.status == StepStatus::ok && are_alike(z, end)) note_call(z, h, report);
  return report;
}

StepReport<double> Routine::advance(Point<double>& z, double h, std::int64_t steps, std::int64_t& done) {
  StepReport<double> report, total;
  for (done = 0; done < steps;) {
    std::int64_t made = run(z, h, steps - done, z, report);
    if (made == 0) {
      // As long as there is no code, and none soon, many steps.
      const std::int64_t left = steps - done, by_calls = is_possible_ ? worth_code_ / 2 - calls_ : left;
      if (codes_.empty() && by_calls > 1) {
        report = method_->advance(z, h, std::min(left, by_calls), made);
        calls_ += made;
        steps_ += made;
      } else {
        report = method_->step(z, h, next_);
        if (report.status == StepStatus::ok) {
          made = 1;
          if (are_alike(z, next_)) note_call(z, h, report);
          swap(z, next_);
        }
      }
    }
    add_work(report, total);
    done += made;
    if (report.status != StepStatus::ok) break;
  }
  report.iterations = report.evaluations = report.charts = 0;
  add_work(total, report);
  return report;
}

// Up to `steps` steps from z to `end`, which may be z, by one code. @return how many.
std::int64_t Routine::run(const Point<double>& z, double h, std::int64_t steps, Point<double>& end,
                          StepReport<double>& report) {
  for (auto code = codes_.begin(); code != codes_.end(); ++code) {
    // A code that fails that often waits for ways that are missing.
    if (code->failures > code->made + kFirstTries) continue;
    if (!code->kernel.valid() || !are_alike(z, code->form) || code->nullity != manifold_.matrix().nullity()) continue;
    const std::int64_t made = run(*code, z, h, steps, end);
    if (made == 0) {
      ++code->failures;
      continue;
    }
    code->made += made;
    report = {};
    report.iterations = static_cast<std::int64_t>(after_[iterations]);
    report.evaluations = static_cast<std::int64_t>(after_[evaluations]);
    report.error = after_[error];
    codes_.splice(codes_.begin(), codes_, code);
    compiled_steps_ += made;
    steps_ += made;
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
  for (const Number number : {iterations, evaluations, projections, relaxations, scalings}) before_[number] = 0;

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
    tally_->count += static_cast<std::int64_t>(after_[projections]);
    tally_->relaxation.points += static_cast<std::int64_t>(after_[relaxations]);
    tally_->scaling.points += static_cast<std::int64_t>(after_[scalings]);
  }
  return made;
}

// --- Recordings.

// A step that had to be made by calls. What it took tells, most of the time, one way from another.
void Routine::note_call(const Point<double>& z, double h, const StepReport<double>& report) {
  ++steps_;
  if (!is_possible_ || ways_ >= kMostWays) return;
  const auto same = std::ranges::find_if(seen_, [&](const Seen& seen) {
    return seen.iterations == report.iterations && seen.evaluations == report.evaluations;
  });
  if (same != seen_.end()) {
    if (std::has_single_bit(static_cast<std::uint64_t>(++same->count))) same->later_z = z, same->later_h = h;
  } else if (seen_.size() < kMostWays) {
    seen_.push_back({report.iterations, report.evaluations, 1, z, h, {}});
  }
  if (++calls_ < worth_code_) return;
  try {
    consider_code();
  } catch (const std::exception&) {
    is_possible_ = false;  // such as a black box, which takes no other numbers
  }
}

// How long a step takes by calls: the shortest of a few times.
double Routine::time_of(const Seen& seen) {
  using Clock = std::chrono::steady_clock;
  method_->count_projections(nullptr);
  Point<double> end;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k) {
    const auto start = Clock::now();
    static_cast<void>(method_->step(seen.z, seen.h, end));
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  method_->count_projections(tally_);
  return least;
}

// Makes code of steps if those that are left would lose more time by calls than that takes.
void Routine::consider_code() {
  std::ranges::sort(seen_, std::greater(), &Seen::count);
  if (time_ == 0) time_ = time_of(seen_.front());
  // Steps to come that would be made by calls: as many as there have been, if their number is not known. The
  // ways they go are foreseen for a limited number only, and for fewer the more ways there are.
  const auto left = [this] {
    const std::int64_t foreseen = kForesight * steps_ / std::max(std::int64_t{1}, static_cast<std::int64_t>(ways_));
    const std::int64_t steps = steps_ < expected_steps_ ? std::min(expected_steps_ - steps_, foreseen) : steps_;
    return static_cast<double>(steps) * static_cast<double>(calls_) / static_cast<double>(steps_ - steps_before_);
  };
  worth_code_ = 2 * calls_;
  if (left() < costs_.least_steps) return;

  // The ways that most steps went.
  std::int64_t noted = 0, recorded = 0;
  for (const Seen& seen : seen_) noted += seen.count;
  double lost = 0;
  std::size_t sorts = 0;
  for (Seen& seen : seen_) {
    if ((noted - recorded) * kRare <= noted || ways_ >= kMostWays) break;
    if (seen.operations == 0) seen.operations = record(seen.z, seen.h).operations;
    if (!is_possible_) return;
    const auto operations = static_cast<double>(seen.operations);
    const double lost_here = time_ - costs_.running * operations;
    if (left() * lost_here < costs_.compiling * operations) return;
    recorded += seen.count;
    lost += lost_here * static_cast<double>(seen.count) / static_cast<double>(noted);
    ++sorts;
  }
  if (left() * lost < cost_of_code()) return;
  // Where another step that took the same goes a way of its own there may be any number.
  std::int64_t alike = 0;
  for (std::size_t k = 0; k < sorts; ++k) {
    const Seen& seen = seen_[k];
    if (costs_.compiling == 0 || (seen.count > 1 && record(seen.later_z, seen.later_h).is_known)) alike += seen.count;
  }
  if (left() * lost * static_cast<double>(alike) / static_cast<double>(noted) < cost_of_code()) return;

  for (Code& code : codes_) {
    if (!std::exchange(code.is_new, false)) continue;
    code.kernel = manifold_.system().compiler().add(std::move(code.plan));
    code.failures = code.made = 0;
  }
  worth_code_ = calls_;
  calls_ = 0;
  steps_before_ = steps_;
  seen_.clear();
}

// The seconds that compiling takes now.
double Routine::cost_of_code() const {
  double cost = 0;
  for (const Code& code : codes_)
    if (code.is_new)
      cost += costs_.compiling * static_cast<double>(code.plan.stages.front().program.instructions().size());
  return cost;
}

void Routine::note_way(Code& code) {
  code.plan = code.recorded.plan();
  code.is_new = true;
  ++ways_;
}

Routine::Recorded Routine::record(const Point<double>& z, double h) {
  is_possible_ = z.own().chart.empty();
  if (!is_possible_) return {};
  const StepMap<Traced> map = remake_();
  map.manifold->matrix().set_nullity(manifold_.matrix().nullity());
  std::vector<RecordedKernel::Place> from, to;
  std::vector<Traced> results;
  // One that would take twice as long as calls is of no use.
  const double most = 2 * time_ / costs_.running;
  Recording recording(most < static_cast<double>(costs_.longest) ? static_cast<std::size_t>(most) : costs_.longest);
  const auto read = [&](int vector, std::size_t at, double x) {
    from.push_back({vector, static_cast<std::int64_t>(at)});
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
  if (recording.has_failed()) is_possible_ = !codes_.empty();
  // The next step must be able to begin where this one ends.
  const std::size_t operations = recording.operations().size();
  if (recording.has_failed() || report.status != StepStatus::ok || !are_alike(end, z)) return {operations};

  const auto write = [&](int vector, std::size_t at, const Traced& x) {
    to.push_back({vector, static_cast<std::int64_t>(at)});
    results.push_back(x);
  };
  const auto write_number = [&](int number, const Traced& x) { write(numbers, static_cast<std::size_t>(number), x); };
  visit_vectors(end, [&](int vector, const auto& x) {
    for (std::size_t k = 0; k < x.size(); ++k) write(vector, k, x[k]);
  });
  visit_numbers(end, write_number);
  visit_numbers(tally, write_number);
  write_number(error, report.error);
  write_number(iterations, read_number(iterations, 0) + Traced(report.iterations));
  write_number(evaluations, read_number(evaluations, 0) + Traced(report.evaluations));
  write_number(projections, read_number(projections, 0) + Traced(tally.count));
  write_number(relaxations, read_number(relaxations, 0) + Traced(tally.relaxation.points));
  write_number(scalings, read_number(scalings, 0) + Traced(tally.scaling.points));

  std::vector<std::int64_t> counted;
  for (std::size_t k = 0; k < z.trajectory().counts.size(); ++k)
    counted.push_back(end.trajectory().counts[k] - z.trajectory().counts[k]);
  const std::int64_t own_steps = end.own().steps - z.own().steps;
  const std::size_t nullity = manifold_.matrix().nullity();
  auto as = RecordedKernel::Added::other;
  const auto code = std::ranges::find_if(codes_, [&](Code& each) {
    if (are_alike(z, each.form) && each.counted == counted && each.own_steps == own_steps && each.nullity == nullity)
      as = each.recorded.add(recording, results);
    return as != RecordedKernel::Added::other;
  });
  if (code != codes_.end()) {
    if (as == RecordedKernel::Added::known) return {operations, true};
    note_way(*code);
    return {operations};
  }
  Code& added = codes_.emplace_front(RecordedKernel(from, to, wanted, wanted));
  static_cast<void>(added.recorded.add(recording, results));
  note_way(added);
  take_form(z, added.form);
  added.counted = counted;
  added.own_steps = own_steps;
  added.nullity = nullity;
  in_.resize(std::max(in_.size(), memory + z.memory().numbers.size()));
  out_.resize(in_.size());
  return {operations};
}

}  // namespace cotangent
