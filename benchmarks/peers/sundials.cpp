// SUNDIALS: IDA for the equations of motion with both constraints (the form of Gear, Gupta and Leimkuhler) and KLU, and
// CVODE and ARKODE for the equations without multipliers.

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sundials/sundials_context.hpp>
#include <utility>

#include "benchmarks/peers/peers.hpp"

namespace cotangent::peers {
namespace {

void expect(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(std::string("SUNDIALS: ") + what);
}

// What SUNDIALS makes is freed by functions of many names.
struct Free {
  void operator()(N_Vector x) const { N_VDestroy(x); }
  void operator()(SUNMatrix x) const { SUNMatDestroy(x); }
  void operator()(SUNLinearSolver x) const { SUNLinSolFree(x); }
  void operator()(SUNNonlinearSolver x) const { SUNNonlinSolFree(x); }
};
template <class X>
using Owned = std::unique_ptr<std::remove_pointer_t<X>, Free>;
using NVector = Owned<N_Vector>;
using Matrix = Owned<SUNMatrix>;
using LinearSolver = Owned<SUNLinearSolver>;
using NonlinearSolver = Owned<SUNNonlinearSolver>;

double* data(N_Vector x) { return NV_DATA_S(x); }

NVector vector_of(const Vector& x, SUNContext context) {
  NVector y(N_VNew_Serial(static_cast<sunindextype>(x.size()), context));
  std::copy(x.begin(), x.end(), data(y.get()));
  return y;
}

constexpr long kMostSteps = 10'000'000;

// --- z' = f(z)

template <class P>
struct Subject {
  explicit Subject(const P& of) : problem(of), field(of), moved(of.task.start.size()) {}
  const P& problem;
  typename P::template Field<double> field;
  Vector moved;
};

template <class P>
int rate(double /*t*/, N_Vector z, N_Vector f, void* self) {
  static_cast<Subject<P>*>(self)->field(data(z), data(f));
  return 0;
}

template <class P>
int project(double /*t*/, N_Vector z, N_Vector correction, double /*tolerance*/, N_Vector /*error*/, void* self) {
  auto& subject = *static_cast<Subject<P>*>(self);
  std::copy(data(z), data(z) + subject.moved.size(), subject.moved.begin());
  subject.field.project(subject.moved.data());
  for (std::size_t k = 0; k < subject.moved.size(); ++k) data(correction)[k] = subject.moved[k] - data(z)[k];
  return 0;
}

enum class Multistep { adams, bdf };

template <class P>
Vector solve_by_cvode(const P& problem, Multistep kind, double tolerance) {
  sundials::Context context;
  Subject<P> subject(problem);
  const NVector z = vector_of(problem.task.start, context);
  const auto free = [](void* memory) { CVodeFree(&memory); };
  const std::unique_ptr<void, decltype(free)> cvode(CVodeCreate(kind == Multistep::adams ? CV_ADAMS : CV_BDF, context),
                                                    free);
  void* memory = cvode.get();
  expect(CVodeInit(memory, rate<P>, 0, z.get()), "CVodeInit");
  expect(CVodeSetUserData(memory, &subject), "CVodeSetUserData");
  expect(CVodeSStolerances(memory, tolerance, tolerance), "CVodeSStolerances");
  expect(CVodeSetMaxNumSteps(memory, kMostSteps), "CVodeSetMaxNumSteps");
  expect(CVodeSetStopTime(memory, problem.task.end), "CVodeSetStopTime");
  NonlinearSolver iteration;
  LinearSolver krylov;
  if (kind == Multistep::adams) {
    iteration.reset(SUNNonlinSol_FixedPoint(z.get(), 0, context));
    expect(CVodeSetNonlinearSolver(memory, iteration.get()), "CVodeSetNonlinearSolver");
  } else {
    krylov.reset(SUNLinSol_SPGMR(z.get(), SUN_PREC_NONE, 0, context));
    expect(CVodeSetLinearSolver(memory, krylov.get(), nullptr), "CVodeSetLinearSolver");
    expect(CVodeSetProjFn(memory, project<P>), "CVodeSetProjFn");
    expect(CVodeSetProjErrEst(memory, SUNFALSE), "CVodeSetProjErrEst");
  }
  double t = 0;
  expect(CVode(memory, problem.task.end, z.get(), &t, CV_NORMAL), "CVode");
  return problem.momenta(Vector(data(z.get()), data(z.get()) + problem.task.start.size()));
}

template <class P>
Vector solve_by_arkode(const P& problem, double tolerance) {
  sundials::Context context;
  Subject<P> subject(problem);
  const NVector z = vector_of(problem.task.start, context);
  const auto free = [](void* memory) { ERKStepFree(&memory); };
  const std::unique_ptr<void, decltype(free)> arkode(ERKStepCreate(rate<P>, 0, z.get(), context), free);
  void* memory = arkode.get();
  expect(ERKStepSetUserData(memory, &subject), "ERKStepSetUserData");
  expect(ERKStepSStolerances(memory, tolerance, tolerance), "ERKStepSStolerances");
  expect(ERKStepSetTableNum(memory, ARKODE_FEHLBERG_13_7_8), "ERKStepSetTableNum");
  expect(ERKStepSetMaxNumSteps(memory, kMostSteps), "ERKStepSetMaxNumSteps");
  expect(ERKStepSetStopTime(memory, problem.task.end), "ERKStepSetStopTime");
  double t = 0;
  expect(ERKStepEvolve(memory, problem.task.end, z.get(), &t, ARK_NORMAL), "ERKStepEvolve");
  return problem.momenta(Vector(data(z.get()), data(z.get()) + problem.task.start.size()));
}

// --- The constrained equations, for points and rods of length 1:
//
//   q' = v - G' mu,   v' = F(q) - G' lambda,   0 = g(q),   0 = G v
//
// Unknowns stand in the order of their points, so that the matrix has a narrow band: (q_i, v_i, lambda_i, mu_i).

template <class Shape>
class RodEquations {
 public:
  static constexpr int D = Shape::kDimension;

  explicit RodEquations(const PointChain<Shape>& chain)
      : N_(static_cast<sunindextype>(chain.N)), d_(D * chain.N), F_(D * chain.N) {}

  sunindextype size() const { return (2 * D + 2) * N_; }
  sunindextype q(sunindextype i, int c) const { return (2 * D + 2) * i + c; }
  sunindextype v(sunindextype i, int c) const { return q(i, D + c); }
  sunindextype lambda(sunindextype i) const { return q(i, 2 * D); }
  sunindextype mu(sunindextype i) const { return q(i, 2 * D + 1); }
  sunindextype points() const { return N_; }
  // Where (q, v) of a problem have what stands at q(i, c).
  std::size_t at(sunindextype i, int c) const {
    return Shape::at(static_cast<std::size_t>(N_), static_cast<std::size_t>(i), c);
  }

  void residual(const double* y, const double* rate, double* r) {
    for (sunindextype i = 0; i < N_; ++i)
      for (int c = 0; c < D; ++c) d_[at(i, c)] = is_rod(i) ? along(y, i, c) : 0;
    Shape::force(static_cast<std::size_t>(N_), d_.data(), F_.data());
    for (sunindextype i = 0; i < N_; ++i) {
      for (int c = 0; c < D; ++c) {
        r[q(i, c)] = rate[q(i, c)] - y[v(i, c)];
        r[v(i, c)] = rate[v(i, c)] - F_[at(i, c)];
      }
      r[lambda(i)] = is_rod(i) ? -0.5 : y[lambda(i)];
      r[mu(i)] = is_rod(i) ? 0 : y[mu(i)];
      if (!is_rod(i)) continue;
      for (int c = 0; c < D; ++c) {
        const double d = d_[at(i, c)];
        r[lambda(i)] += d * d / 2;
        r[mu(i)] += d * along(y, i, D + c);
        for_ends(i, [&](sunindextype end, double sign) {
          r[q(end, c)] += sign * d * y[mu(i)];
          r[v(end, c)] += sign * d * y[lambda(i)];
        });
      }
    }
  }

  // Calls add(row, column, value), always in the same order, for residual_y + cj residual_rate.
  template <class Add>
  void jacobian(const double* y, double cj, const Add& add) const {
    for (sunindextype i = 0; i < N_; ++i) {
      for (int c = 0; c < D; ++c) {
        add(q(i, c), q(i, c), cj);
        add(q(i, c), v(i, c), -1.0);
        add(v(i, c), v(i, c), cj);
        if (is_rod(i)) add_rod(y, i, c, add);
        if (i > 0 && i + 1 < N_) add_bending(i, c, add);
      }
      if (!is_rod(i)) {
        add(lambda(i), lambda(i), 1.0);
        add(mu(i), mu(i), 1.0);
      }
    }
  }

 private:
  static bool is_rod(sunindextype i) { return i > 0 || Shape::kAnchored; }
  // What a rod takes from its end to its beginning.
  double along(const double* y, sunindextype i, int c) const { return y[q(i, c)] - (i > 0 ? y[q(i - 1, c)] : 0); }

  template <class Visit>
  static void for_ends(sunindextype i, const Visit& visit) {
    visit(i, 1.0);
    if (i > 0) visit(i - 1, -1.0);
  }

  template <class Add>
  void add_rod(const double* y, sunindextype i, int c, const Add& add) const {
    const double d = along(y, i, c), w = along(y, i, D + c);
    for_ends(i, [&](sunindextype end, double sign) {
      add(lambda(i), q(end, c), sign * d);
      add(mu(i), v(end, c), sign * d);
      add(mu(i), q(end, c), sign * w);
      add(v(end, c), lambda(i), sign * d);
      add(q(end, c), mu(i), sign * d);
      for_ends(i, [&](sunindextype other, double other_sign) {
        add(v(end, c), q(other, c), sign * other_sign * y[lambda(i)]);
        add(q(end, c), q(other, c), sign * other_sign * y[mu(i)]);
      });
    });
  }

  // The energy -stiffness d_i.d_{i+1}.
  template <class Add>
  void add_bending(sunindextype i, int c, const Add& add) const {
    if constexpr (std::is_same_v<Shape, Bending>) {
      for_ends(i, [&](sunindextype a, double sign) {
        for_ends(i + 1, [&](sunindextype b, double other_sign) {
          add(v(a, c), q(b, c), -Bending::kStiffness * sign * other_sign);
          add(v(b, c), q(a, c), -Bending::kStiffness * sign * other_sign);
        });
      });
    }
  }

  sunindextype N_;
  Vector d_, F_;
};

// The same with a sparse matrix by columns, whose pattern is found once.
template <class Shape>
class IdaSubject {
 public:
  explicit IdaSubject(const PointChain<Shape>& chain) : equations(chain) {
    const Vector anywhere(static_cast<std::size_t>(equations.size()), 1.0);
    std::map<std::pair<sunindextype, sunindextype>, std::size_t> entries;  // by column and row
    const auto note = [&](sunindextype row, sunindextype column, double) { entries[{column, row}]; };
    equations.jacobian(anywhere.data(), 1, note);
    columns_.assign(static_cast<std::size_t>(equations.size()) + 1, 0);
    for (auto& [place, number] : entries) {
      number = rows_.size();
      rows_.push_back(place.second);
      columns_[static_cast<std::size_t>(place.first) + 1] = static_cast<sunindextype>(rows_.size());
    }
    equations.jacobian(anywhere.data(), 1, [&](sunindextype row, sunindextype column, double) {
      slots_.push_back(entries[{column, row}]);
    });
  }

  sunindextype entry_count() const { return static_cast<sunindextype>(rows_.size()); }

  void fill(const double* y, double cj, SUNMatrix matrix) const {
    std::copy(columns_.begin(), columns_.end(), SUNSparseMatrix_IndexPointers(matrix));
    std::copy(rows_.begin(), rows_.end(), SUNSparseMatrix_IndexValues(matrix));
    double* values = SUNSparseMatrix_Data(matrix);
    std::fill(values, values + rows_.size(), 0.0);
    auto slot = slots_.begin();
    equations.jacobian(y, cj, [&](sunindextype, sunindextype, double value) { values[*slot++] += value; });
  }

  RodEquations<Shape> equations;

 private:
  std::vector<sunindextype> columns_, rows_;
  std::vector<std::size_t> slots_;  // in the order in which entries come
};

template <class Shape>
Vector solve_by_ida(const PointChain<Shape>& problem, double tolerance) {
  constexpr int D = Shape::kDimension;
  sundials::Context context;
  IdaSubject<Shape> subject(problem);
  const auto& equations = subject.equations;
  const Vector zero(static_cast<std::size_t>(equations.size()), 0.0);
  const NVector y = vector_of(zero, context), rate = vector_of(zero, context), kinds = vector_of(zero, context);
  const std::size_t n = problem.task.start.size() / 2;
  for (sunindextype i = 0; i < equations.points(); ++i)
    for (int c = 0; c < 2 * D; ++c) {
      const std::size_t from = equations.at(i, c % D) + (c < D ? 0 : n);
      data(y.get())[equations.q(i, c)] = problem.task.start[from];
      data(kinds.get())[equations.q(i, c)] = 1;  // differential; multipliers are not
    }
  const auto free = [](void* memory) { IDAFree(&memory); };
  const std::unique_ptr<void, decltype(free)> ida(IDACreate(context), free);
  void* memory = ida.get();
  const auto residual = [](double, N_Vector x, N_Vector x_rate, N_Vector r, void* self) {
    static_cast<IdaSubject<Shape>*>(self)->equations.residual(data(x), data(x_rate), data(r));
    return 0;
  };
  const auto jacobian = [](double, double cj, N_Vector x, N_Vector, N_Vector, SUNMatrix matrix, void* self, N_Vector,
                           N_Vector, N_Vector) {
    static_cast<IdaSubject<Shape>*>(self)->fill(data(x), cj, matrix);
    return 0;
  };
  expect(IDAInit(memory, residual, 0, y.get(), rate.get()), "IDAInit");
  expect(IDASetUserData(memory, &subject), "IDASetUserData");
  expect(IDASStolerances(memory, tolerance, tolerance), "IDASStolerances");
  expect(IDASetId(memory, kinds.get()), "IDASetId");
  expect(IDASetSuppressAlg(memory, SUNTRUE), "IDASetSuppressAlg");
  expect(IDASetMaxNumSteps(memory, kMostSteps), "IDASetMaxNumSteps");
  expect(IDASetStopTime(memory, problem.task.end), "IDASetStopTime");
  const Matrix matrix(SUNSparseMatrix(equations.size(), equations.size(), subject.entry_count(), CSC_MAT, context));
  const LinearSolver klu(SUNLinSol_KLU(y.get(), matrix.get(), context));
  expect(IDASetLinearSolver(memory, klu.get(), matrix.get()), "IDASetLinearSolver");
  expect(IDASetJacFn(memory, jacobian), "IDASetJacFn");
  // The first step is of order one. A shorter one would ask for multipliers that are rounding errors over its length.
  expect(IDASetInitStep(memory, std::sqrt(tolerance) / 10), "IDASetInitStep");
  expect(IDACalcIC(memory, IDA_YA_YDP_INIT, 1e-3 * problem.task.end), "IDACalcIC");
  expect(IDASetErrHandlerFn(
             memory, [](int, const char*, const char*, char*, void*) {}, nullptr),
         "IDASetErrHandlerFn");
  double t = 0;
  expect(IDASolve(memory, problem.task.end, &t, y.get(), rate.get(), IDA_NORMAL), "IDASolve");
  Vector z(2 * n);
  for (sunindextype i = 0; i < equations.points(); ++i)
    for (int c = 0; c < 2 * D; ++c) z[equations.at(i, c % D) + (c < D ? 0 : n)] = data(y.get())[equations.q(i, c)];
  return z;
}

// Its error test and Newton's iteration reach no further in equations of index two.
constexpr double kFinestIda = 1e-10;

Vector solve_by_ida(const Pendulum& problem, double tolerance) {
  return solve_by_ida(Chain{problem.task, 1}, tolerance);
}

}  // namespace

template <class P>
void add_sundials(const P& problem, Candidates& candidates) {
  for (const double tolerance : kTolerances) {
    candidates.push_back({"CVODE Adams", tolerance,
                          [&problem, tolerance] { return solve_by_cvode(problem, Multistep::adams, tolerance); }});
    candidates.push_back(
        {"CVODE BDF", tolerance, [&problem, tolerance] { return solve_by_cvode(problem, Multistep::bdf, tolerance); }});
    candidates.push_back(
        {"ARKODE Fehlberg 8(7)", tolerance, [&problem, tolerance] { return solve_by_arkode(problem, tolerance); }});
    if constexpr (requires { solve_by_ida(problem, tolerance); }) {
      if (tolerance >= kFinestIda)
        candidates.push_back(
            {"IDA, GGL, KLU", tolerance, [&problem, tolerance] { return solve_by_ida(problem, tolerance); }});
    }
  }
}

COTANGENT_FOR_PROBLEMS(add_sundials)

}  // namespace cotangent::peers
