#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/analyze/dirac/canonical.hpp"
#include "cotangent/analyze/dirac/elimination.hpp"
#include "cotangent/analyze/dirac/surface.hpp"

namespace cotangent {

/// What {chi, H_T} + chi_t = 0 on the surface amounts to, for a constraint chi.
enum class Consistency : std::uint8_t {
  satisfied,       ///< it holds
  new_constraint,  ///< it restricts the surface
  multiplier,      ///< it determines a multiplier
  contradiction,   ///< it cannot hold: 1 = 0
};

struct DiracConstraint {
  std::string name;
  Expr value;
  int generation = 1;         ///< 1: primary
  std::string parent = {};    ///< whose consistency it is; empty for primaries and gauge conditions
  bool is_gauge = false;      ///< a gauge condition, or a consequence of one
  std::string remark = {};    ///< "z^2 = 0 is replaced by z = 0"
  bool has_branches = false;  ///< it is one of several factors that could vanish
  Consistency consistency = Consistency::satisfied;
  std::string outcome = {};  ///< the same in words
  bool is_first_class = false;
  Expr combination = {};  ///< of a first-class one: the combination of constraints that is first class
};

/// u_a of H_T = H + u_a phi_a.
struct DiracMultiplier {
  Expr symbol;
  std::string constraint;  ///< phi_a
  Expr value = {};         ///< not valid() if it is free; may contain others that are
};

/// Castellani's generator [castellani82]: G = sum_k epsilon^(k) G_k with a primary first-class constraint G_K and, up
/// to combinations of primary first-class constraints phi_b,
///
///   G_(k-1) = -{G_k, H} - dG_k/dt,   {G_0, H} + dG_0/dt = 0,   {G_k, phi_b} = 0.
struct GaugeTransformation {
  std::string parameter;                                   ///< "epsilon_1"
  std::vector<Expr> chain = {};                            ///< G_K, ..., G_0
  bool is_closed = false;                                  ///< the last equation holds, too; the others always do
  std::vector<std::pair<std::string, Expr>> changes = {};  ///< delta x, for the coordinates that it changes
};

struct DiracBracket {
  std::string text;                ///< "x, p_x"
  Expr expression = {};            ///< on the surface; not valid() if it is too long
  std::optional<Quad> value = {};  ///< at the initial point, moved to the surface
};

/// Largest residuals of the laws of the Dirac bracket at random points, relative to what is added up in them.
struct BracketLaws {
  Quad antisymmetry = 0, jacobi = 0, casimirs = 0;
};

/// The Dirac algorithm [dirac64, henneaux-teitelboim92]: constraints in phase space and their brackets.
///
///   H_T = H + u_a phi_a;   0 ~ d chi/dt = {chi, H} + chi_t + u_a {chi, phi_a}   for every constraint chi,
///
/// again and again, until nothing new follows. Each pass eliminates the multipliers from these equations: a row with a
/// pivot determines one of them, a row without demands that its right-hand side vanishes.
///
/// With N constraints, of which r = rank {chi_i, chi_j} are second class and F = N - r first class, there are
/// (2 n - r - 2 F)/2 degrees of freedom, if all first-class constraints generate gauge transformations.
class DiracAlgorithm {
 public:
  /// @param stop nonzero: it is given up, and so is what is asked of it later.
  /// @throws ModelError for what has no phase space; Interrupted
  explicit DiracAlgorithm(const Model& model, const volatile std::sig_atomic_t* stop = nullptr);

  const Canonical& canonical() const { return canonical_; }
  const std::vector<DiracConstraint>& constraints() const { return constraints_; }
  const std::vector<DiracMultiplier>& multipliers() const { return multipliers_; }
  const std::vector<GaugeTransformation>& gauge_transformations() const { return transformations_; }
  /// {chi_i, chi_j} on the surface.
  const ExprMatrix& matrix() const { return matrix_; }
  bool is_consistent() const { return is_consistent_; }
  /// Whether it is consistent and classes are known.
  bool is_settled() const { return is_consistent_ && undecided_.empty(); }
  /// Why the algorithm stopped; empty if it went to its end.
  const std::string& undecided() const { return undecided_; }
  bool has_gauge() const { return !canonical_.gauge.empty(); }
  int first_class() const;
  int first_class_before_gauge() const { return first_class_before_gauge_; }
  int second_class() const { return static_cast<int>(constraints_.size()) - first_class(); }
  int free_multipliers() const;
  /// Nothing if first-class constraints generate no gauge transformation, or the system is inconsistent.
  std::optional<int> degrees_of_freedom() const { return degrees_of_freedom_; }
  /// What a reader should know.
  const std::vector<std::string>& notes() const { return notes_; }
  const Margin& margin() const { return surface_.margin(); }

  /// The bracket of two functions, "x, p_x". @throws ModelError
  DiracBracket bracket(const std::string& text);
  BracketLaws check_laws();

  /// {f, g} - {f, chi_a} C^-1_ab {chi_b, g} with the second-class constraints chi_a, C_ab = {chi_a, chi_b}, on the
  /// surface.
  Expr dirac_bracket(Expr f, Expr g);
  Expr poisson_bracket(Expr f, Expr g);

  /// H + U_a phi_a with the multipliers that are determined; those that are not are 0.
  Expr first_class_hamiltonian();

  /// The initial point on the surface; random where [initial] leaves values open. Nothing if there is none.
  std::optional<SymbolValues> initial_point() const { return surface_.point_at_start(); }
  /// Values of [initial] that it has moved.
  std::vector<Expr> moved_from_start(const SymbolValues& point) const { return surface_.moved_from_start(point); }
  /// The rank of a matrix on the surface. @throws Undecided
  int rank_on_surface(const ExprMatrix& matrix) { return surface_.rank(matrix); }

 private:
  void add_primaries();
  void add_gauge_conditions();
  void run();
  bool add(DiracConstraint constraint);
  bool add_given(DiracConstraint constraint);
  void keep_irreducible(Expr last);
  struct Branch {
    Expr value;
    std::string remark;
    bool has_others = false;
  };
  std::vector<Factor> factors_of(Expr whole) const;
  std::optional<Branch> branch_of(Expr whole, std::optional<std::size_t> instead_of = {}) const;
  Branch choose_branch(Expr whole, const std::vector<Factor>& factors,
                       std::optional<std::size_t> instead_of = {}) const;
  [[noreturn]] void no_point(Expr condition) const;
  void call_inadmissible(const std::string& reason);
  void follow_consistency();
  bool make_pass();
  void take_condition(std::size_t parent, Expr condition);
  void settle_multipliers(const Elimination& e);
  void classify();
  void count_degrees_of_freedom();
  void find_gauge_transformations();
  std::vector<Expr> combination(Expr f, const std::vector<Expr>& g);
  const ExprMatrix& inverse();
  Expr rate(Expr chi);
  std::string next_name();

  Canonical canonical_;
  Surface surface_;
  std::vector<DiracConstraint> constraints_;
  std::vector<DiracMultiplier> multipliers_;
  std::vector<Expr> primaries_;
  std::vector<GaugeTransformation> transformations_;
  ExprMatrix matrix_, inverse_;
  std::vector<std::size_t> second_class_;  // by their numbers: rows of the inverse
  bool is_consistent_ = true;
  bool is_on_another_branch_ = false;  // since the last pass began
  int first_class_before_gauge_ = 0;
  std::optional<int> degrees_of_freedom_;
  std::vector<std::string> notes_;
  std::string undecided_;
};

}  // namespace cotangent
