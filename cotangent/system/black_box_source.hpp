#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/black_box.hpp"
#include "cotangent/system/difference.hpp"
#include "cotangent/system/operation_source.hpp"

namespace cotangent {

/// The operations of a black box: its functions where they are given, differences of them otherwise.
///
/// Implicit methods go back and forth between two points, and products with G are asked for one after the other: the
/// values of G at the last points are kept.
class BlackBoxSource final : public OperationSource<double> {
 public:
  /// @pre elements.declared
  explicit BlackBoxSource(const Elements& elements);

  std::unique_ptr<Operation<double>> make(const Contraction& contraction) override;
  void G(const double* q, const double& t, double* values) override;

 private:
  using Place = BlackBox::Place;

  /// Where functions are evaluated, and a direction: parts that are null, or zero, do not change.
  struct Line {
    const double *q, *p;
    double t;
    const double *a = nullptr, *b = nullptr;
    double dt = 0;
  };
  struct Point {
    bool known = false;
    std::uint64_t used = 0;
    double t = 0;
    std::vector<double> q, G;
  };

  std::unique_ptr<Operation<double>> make_H(const Contraction& contraction);
  std::unique_ptr<Operation<double>> make_g(const Contraction& contraction);
  std::unique_ptr<Operation<double>> make_weighted_g(const Contraction& contraction);

  Line line(const Frame<double>& frame, const Contraction::Direction& direction) const;
  double H_along(const Line& line);
  void H_p_along(Line line, double* out);
  void H_q_along(Line line, double* out);
  void g_along(const Line& line, double* out);
  void g_second(const Line& line, const double* b, double* out);
  void G_along(const Line& line, double* values);
  void norms(const double* rows, const double* q, double t, const double* x, double x_t, double* out);

  const std::vector<double>& G_at(const double* q, double t);
  void add_product(const std::vector<double>& G, const double* x, double* rows) const;
  void add_transposed_product(const std::vector<double>& G, const double* u, double* x) const;
  template <class Function>
  void difference(const Function& f, const Line& line, CentralDifference& rule, double* out);

  std::shared_ptr<const BlackBox> functions_;
  const BlackBox& box_;
  std::vector<Place> places_;  // of the values of G
  std::array<Point, 3> points_;
  std::uint64_t clock_ = 0;
  std::vector<double> zero_, x_, y_, part_, rows_, scales_, dG_;
  CentralDifference of_gradient_, of_rows_, of_G_;
};

}  // namespace cotangent
