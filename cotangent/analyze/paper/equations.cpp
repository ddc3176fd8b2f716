#include "cotangent/analyze/paper/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "cotangent/analyze/dirac/canonical.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// What people read: larger systems are summarised.
constexpr std::size_t kMost = 12, kLongest = 1500;

using Exprs = std::vector<Expr>;

struct Line {
  std::string left, left_latex;
  Expr right;
};

/// Names for what occurs more than once in some expressions and is worth a name.
class CommonParts {
 public:
  CommonParts(Graph& graph, const std::vector<Line>& lines) {
    Exprs roots;
    for (const Line& line : lines) roots.push_back(line.right);
    std::unordered_map<NodeId, int> uses, sizes;
    const Exprs nodes = reachable(roots);
    for (const Expr root : roots) ++uses[root.id()];
    for (const Expr e : nodes)
      for (int k = 0; k < e.arity(); ++k) ++uses[e.arg(k).id()];
    for (const Expr e : nodes) {
      int& size = sizes[e.id()] = 1;
      for (int k = 0; k < e.arity(); ++k) size += sizes[e.arg(k).id()];
      constexpr int kWorthAName = 8;
      const bool is_line = std::find(roots.begin(), roots.end(), e) != roots.end();
      if (is_line || e.arity() == 0 || uses[e.id()] < 2 || size < kWorthAName) continue;
      const Expr definition = substitute(e, names_);
      const Expr name = graph.new_symbol(fmt::format("c_{}", lines_.size() + 1), SymbolKind::local);
      lines_.push_back({to_string(name), to_latex(name), definition});
      names_[e.id()] = name;
      size = 1;
    }
    for (const Line& line : lines) lines_.push_back({line.left, line.left_latex, substitute(line.right, names_)});
  }

  const std::vector<Line>& lines() const { return lines_; }

 private:
  Replacement names_;
  std::vector<Line> lines_;
};

class Writing {
 public:
  explicit Writing(Canonical canonical)
      : canonical_(std::move(canonical)), written_(*canonical_.written), graph_(written_.graph()) {
    const std::size_t n = written_.coordinates().size();
    Replacement none;
    for (std::size_t k = n; k < canonical_.q.size(); ++k) none[canonical_.q[k].id()] = graph_.constant(0);
    H_ = simplified(substitute(canonical_.H, none));
    q_.assign(canonical_.q.begin(), canonical_.q.begin() + static_cast<std::ptrdiff_t>(n));
    p_.assign(canonical_.p.begin(), canonical_.p.begin() + static_cast<std::ptrdiff_t>(n));
    names_.assign(canonical_.names.begin(), canonical_.names.begin() + static_cast<std::ptrdiff_t>(n));
    for (const Constraint& constraint : written_.model().constraints) {
      const Exprs lambdas = written_.multipliers(constraint);
      std::size_t k = 0;
      for (const auto& row : written_.all(constraint)) {
        rows_.push_back(row.name);
        g_.push_back(simplified(row.value));
        lambda_.push_back(lambdas[k++]);
      }
    }
    derive();
  }

  PaperEquations operator()() {
    write_model();
    if (m() > 0) write_multipliers();
    write_standard();
    if (m() > 0) {
      write_total();
      write_dirac();
      write_dirac_weak();
      write_impetus();
      write_baumgarte();
      write_ggl();
    }
    return std::move(result_);
  }

 private:
  std::size_t n() const { return q_.size(); }
  std::size_t m() const { return g_.size(); }
  Expr zero() const { return graph_.constant(0); }
  Expr simplified(Expr e) const { return canonical_.algebra->simplified(e); }
  Exprs simplified(Exprs all) const {
    for (Expr& e : all) e = simplified(e);
    return all;
  }
  Expr sum_of_products(const Exprs& a, const Exprs& b) const {
    Expr total = zero();
    for (std::size_t k = 0; k < a.size(); ++k) total = total + a[k] * b[k];
    return total;
  }
  Expr time_derivative(Expr e) const { return gradient(e, std::array{written_.t()})[0]; }

  // The forces that the model states, at the velocities of p, without the dissipation.
  Exprs stated_forces() {
    const Model& model = written_.model();
    Exprs forces(n(), zero());
    written_.each(model.forces, [&](Expr target, Expr value) {
      for (std::size_t i = 0; i < n(); ++i)
        if (target == q_[i]) forces[i] = forces[i] + value;
    });
    Exprs velocities;
    for (const auto& c : written_.coordinates()) velocities.push_back(c.v);
    if (model.dissipation.valid()) {
      const Exprs D_v = gradient(written_(model.dissipation), velocities);
      for (std::size_t i = 0; i < n(); ++i) forces[i] = forces[i] - D_v[i];
    }
    Replacement of_p;
    for (std::size_t i = 0; i < n(); ++i) of_p[velocities[i].id()] = v_[i];
    for (Expr& f : forces) f = simplified(substitute(f, of_p));
    return forces;
  }

  void derive() {
    v_ = simplified(gradient(H_, p_));
    const Exprs H_q = simplified(gradient(H_, q_));
    const Exprs stated = stated_forces();
    for (std::size_t i = 0; i < n(); ++i) {
      minus_H_q_.push_back(-H_q[i]);
      F_.push_back(stated[i] - H_q[i]);
    }
    for (std::size_t a = 0; a < m(); ++a) {
      G_.push_back(simplified(gradient(g_[a], q_)));
      psi_.push_back(simplified(sum_of_products(G_[a], v_) + time_derivative(g_[a])));
      psi_q_.push_back(simplified(gradient(psi_[a], q_)));
      psi_p_.push_back(simplified(gradient(psi_[a], p_)));
      b_.push_back(simplified(psi_rate(a, v_, F_)));
      b_conservative_.push_back(simplified(psi_rate(a, v_, minus_H_q_)));
    }
    for (std::size_t a = 0; a < m(); ++a) {
      R_.emplace_back();
      S_.emplace_back();
      for (std::size_t c = 0; c < m(); ++c) {
        R_[a].push_back(simplified(sum_of_products(G_[a], psi_p_[c])));
        S_[a].push_back(simplified(sum_of_products(psi_q_[a], psi_p_[c]) - sum_of_products(psi_p_[a], psi_q_[c])));
      }
    }
  }
  Expr psi_rate(std::size_t a, const Exprs& q_dot, const Exprs& p_dot) const {
    return sum_of_products(psi_q_[a], q_dot) + sum_of_products(psi_p_[a], p_dot) + time_derivative(psi_[a]);
  }

  // A symbol for each row: mu_rod.
  Exprs row_symbols(const std::string& letter) {
    Exprs symbols;
    for (const std::string& row : rows_) symbols.push_back(graph_.new_symbol(letter + "_" + row, SymbolKind::local));
    return symbols;
  }
  Line line(Expr left, Expr right) const { return {to_string(left), to_latex(left), right}; }
  Line rate(Expr x, Expr right) const { return {to_string(x) + "'", "\\dot{" + to_latex(x) + "}", right}; }

  void add(const std::string& name, const std::string& remark, const std::vector<Line>& lines) {
    PaperSection section{name, remark, {}};
    const CommonParts parts(graph_, lines);
    for (const Line& l : parts.lines())
      section.equations.push_back({l.left, l.left_latex, to_string(l.right), to_latex(l.right)});
    std::size_t length = 0;
    for (const auto& e : section.equations) length = std::max(length, e.right.size());
    if (length > kLongest) {
      section.equations.clear();
      section.remark +=
          fmt::format("{}its equations have up to {} characters and are left out", remark.empty() ? "" : "; ", length);
    }
    result_.sections.push_back(std::move(section));
  }

  // R x = right, solved where it is one equation. Names for R_ab are those of the section before.
  void solve(std::vector<Line>& lines, const Exprs& x, const Exprs& right) {
    if (m() == 1) {
      lines.push_back(line(x[0], simplified(right[0] / R_[0][0])));
      return;
    }
    for (std::size_t a = 0; a < m(); ++a) {
      Expr left = zero();
      for (std::size_t c = 0; c < m(); ++c)
        if (!R_[a][c].is_constant(0)) left = left + R_names_[a][c] * x[c];
      lines.push_back(line(left, right[a]));
    }
  }
  Exprs along_rows(const std::vector<Exprs>& rows, const Exprs& x) const {
    Exprs result(n(), zero());
    for (std::size_t i = 0; i < n(); ++i)
      for (std::size_t a = 0; a < m(); ++a) result[i] = result[i] + x[a] * rows[a][i];
    return result;
  }

  void write_model() {
    std::vector<Line> lines{line(graph_.new_symbol("H", SymbolKind::local), H_)};
    for (std::size_t a = 0; a < m(); ++a)
      lines.push_back(line(graph_.new_symbol("g_" + rows_[a], SymbolKind::local), g_[a]));
    add("model", m() > 0 ? "the constraints are g = 0" : "", lines);
  }

  void write_multipliers() {
    std::vector<Line> lines;
    const auto name = [&](const std::string& letter, std::size_t a) {
      return graph_.new_symbol(letter + "_" + rows_[a], SymbolKind::local);
    };
    for (std::size_t a = 0; a < m(); ++a) psi_names_.push_back(name("psi", a)), g_names_.push_back(name("g", a));
    for (std::size_t a = 0; a < m(); ++a) lines.push_back(line(psi_names_[a], psi_[a]));
    for (std::size_t a = 0; a < m(); ++a) {
      R_names_.emplace_back();
      for (std::size_t c = 0; c < m(); ++c) {
        // R is symmetric.
        R_names_[a].push_back(c < a ? R_names_[c][a]
                                    : graph_.new_symbol(fmt::format("R[{},{}]", a + 1, c + 1), SymbolKind::local));
        if (c >= a && !R_[a][c].is_constant(0)) lines.push_back(line(R_names_[a][c], R_[a][c]));
      }
    }
    Exprs b_names;
    for (std::size_t a = 0; a < m(); ++a) {
      b_names.push_back(name("b", a));
      lines.push_back(line(b_names[a], b_[a]));
    }
    for (std::size_t a = 0; a < m(); ++a)
      for (std::size_t c = a + 1; c < m(); ++c)
        if (!S_[a][c].is_constant(0))
          lines.push_back(line(graph_.new_symbol(fmt::format("S[{},{}]", a + 1, c + 1), SymbolKind::local), S_[a][c]));
    solve(lines, lambda_, m() == 1 ? b_ : b_names);
    add("multipliers", "hidden constraints psi, R = G H_pp G', and R lambda = b", lines);
  }

  void write_standard() {
    std::vector<Line> lines;
    const Exprs pull = along_rows(G_, lambda_);
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(q_[i], v_[i]));
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(p_[i], F_[i] - pull[i]));
    add(m() > 0 ? "standard" : "equations of motion", "", lines);
  }

  // The Hamiltonian system of H_T, where multipliers can be written into it.
  void write_hamiltonian(const std::string& name, Expr H_T, const std::string& definition) {
    const Expr symbol = graph_.new_symbol("H_T", SymbolKind::local);
    if (m() > 1) {
      result_.sections.push_back({name, "the Hamiltonian system of H_T = " + definition, {}});
      return;
    }
    H_T = simplified(H_T);
    std::vector<Line> lines{line(symbol, H_T)};
    const Exprs by_q = simplified(gradient(H_T, q_)), by_p = simplified(gradient(H_T, p_));
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(q_[i], by_p[i]));
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(p_[i], -by_q[i]));
    add(name, "the Hamiltonian system of H_T = " + definition, lines);
  }
  void write_total() {
    write_hamiltonian("total", H_ + b_conservative_[0] / R_[0][0] * g_[0], "H + mu'g, R mu = psi'[(v, -H_q, 1)]");
  }
  void write_dirac() {
    write_hamiltonian("dirac", H_ + b_conservative_[0] / R_[0][0] * g_[0] - psi_[0] * psi_[0] / R_[0][0],
                      "H + mu'g + eta'psi, R eta = -psi, R mu = {psi, H} + {psi, psi} eta");
  }

  void write_dirac_weak() {
    const Exprs eta = row_symbols("eta"), mu = row_symbols("mu");
    std::vector<Line> lines;
    Exprs minus_psi, right;
    for (std::size_t a = 0; a < m(); ++a) {
      minus_psi.push_back(m() == 1 ? -psi_[a] : -psi_names_[a]);
      right.push_back(b_conservative_[a] + sum_of_products(S_[a], eta));
    }
    solve(lines, eta, minus_psi);
    solve(lines, mu, right);
    const Exprs forward = along_rows(psi_p_, eta), back = along_rows(psi_q_, eta), pull = along_rows(G_, mu);
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(q_[i], v_[i] + forward[i]));
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(p_[i], minus_H_q_[i] - pull[i] - back[i]));
    add("dirac-weak", "the same field as hamilton-dirac, without forces", lines);
  }

  // Where H is quadratic in p the strictions solve a linear equation.
  void write_impetus() {
    const Exprs l = row_symbols("l");
    Exprs impetus;
    Replacement shifted;
    std::vector<Line> lines;
    for (std::size_t i = 0; i < n(); ++i) impetus.push_back(graph_.new_symbol("pi_" + names_[i], SymbolKind::local));
    for (std::size_t i = 0; i < n(); ++i) shifted[p_[i].id()] = impetus[i];
    Exprs right;
    for (std::size_t a = 0; a < m(); ++a) right.push_back(substitute(psi_[a], shifted));
    solve(lines, l, right);
    const Exprs pull = along_rows(G_, l);
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(line(p_[i], impetus[i] - pull[i]));
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(q_[i], v_[i]));
    for (std::size_t i = 0; i < n(); ++i) {
      Expr bent = zero();
      for (std::size_t a = 0; a < m(); ++a) {
        const Expr along = sum_of_products(simplified(gradient(G_[a][i], q_)), v_) + time_derivative(G_[a][i]);
        bent = bent + l[a] * simplified(along);
      }
      lines.push_back(rate(impetus[i], F_[i] + bent));
    }
    add("impetus", "pi is the impetus p*; the strictions l as for H that is quadratic in p", lines);
  }

  void write_baumgarte() {
    std::vector<Line> lines;
    const Expr alpha = graph_.new_symbol("alpha", SymbolKind::local),
               beta = graph_.new_symbol("beta", SymbolKind::local);
    Exprs right;
    for (std::size_t a = 0; a < m(); ++a)
      right.push_back(b_[a] + graph_.constant(2) * alpha * (m() == 1 ? psi_[a] : psi_names_[a]) +
                      beta * beta * (m() == 1 ? g_[a] : g_names_[a]));
    solve(lines, lambda_, right);
    add("baumgarte", "as standard, with these multipliers", lines);
  }

  void write_ggl() {
    const Exprs mu = row_symbols("mu");
    Exprs psi = m() == 1 ? psi_ : psi_names_, q_dot;
    std::vector<Line> lines;
    solve(lines, mu, psi);
    const Exprs forward = along_rows(psi_p_, mu);
    for (std::size_t i = 0; i < n(); ++i) q_dot.push_back(v_[i] - forward[i]);
    for (std::size_t i = 0; i < n(); ++i) lines.push_back(rate(q_[i], q_dot[i]));
    Exprs right;
    for (std::size_t a = 0; a < m(); ++a) right.push_back(psi_rate(a, q_dot, F_));
    solve(lines, lambda_, right);
    add("ggl", "p' as in standard, with these multipliers", lines);
  }

  Canonical canonical_;
  WrittenOut& written_;
  Graph& graph_;
  Expr H_;
  std::vector<std::string> names_, rows_;
  Exprs q_, p_, v_, minus_H_q_, F_, g_, lambda_, psi_, b_, b_conservative_, psi_names_, g_names_;
  std::vector<Exprs> G_, psi_q_, psi_p_, R_, S_, R_names_;
  PaperEquations result_;
};

}  // namespace

PaperEquations equations_for_papers(const Model& model) {
  if (model.dynamics == Dynamics::equations)
    return {{}, "ordinary differential equations are in the model as they are"};
  const auto large = [](std::size_t n, std::size_t m) {
    return PaperEquations{
        {}, fmt::format("{} coordinates and constraints: equations are written out for up to {}", n + m, kMost)};
  };
  const auto n = static_cast<std::size_t>(model.dimension());
  if (n > kMost) return large(n, 0);
  WrittenOut written(model);
  std::size_t rows = 0;
  for (const Constraint& constraint : model.constraints) rows += written.all(constraint).size();
  if (n + rows > kMost) return large(n, rows);
  Canonical canonical = canonical_form(model);
  if (canonical.primaries.size() > rows)
    return {{}, "momenta are constrained: formulations are for regular systems with constraints on positions"};
  return Writing(std::move(canonical))();
}

std::string latex_of(const PaperEquations& equations) {
  if (!equations.summary.empty()) return fmt::format("% {}\n", equations.summary);
  std::string text;
  for (const PaperSection& section : equations.sections) {
    text += fmt::format("% {}{}{}\n", section.name, section.remark.empty() ? "" : ": ", section.remark);
    if (section.equations.empty()) continue;
    text += "\\begin{align*}\n";
    for (const PaperEquation& e : section.equations)
      text +=
          fmt::format("  {} &= {}{}\n", e.left_latex, e.right_latex, &e == &section.equations.back() ? "" : " \\\\");
    text += "\\end{align*}\n";
  }
  return text;
}

Json json_of(const PaperEquations& equations) {
  if (!equations.summary.empty()) return Json::object({{"summary", equations.summary}});
  const auto equation = [](const PaperEquation& e) {
    return Json::object({{"left", e.left}, {"right", e.right}, {"latex", e.left_latex + " = " + e.right_latex}});
  };
  std::vector<std::pair<std::string, Json>> sections;
  for (const PaperSection& section : equations.sections)
    sections.emplace_back(section.name,
                          Json::object({{"remark", section.remark},
                                        {"equations", Json::long_list(Json::each(section.equations, equation))}}));
  return Json::object(sections);
}

}  // namespace cotangent
