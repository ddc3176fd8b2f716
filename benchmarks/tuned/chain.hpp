// RATTLE for a hanging chain, written by hand: n unit point masses in the plane, linked by n rods of length
// 1, the first one to the origin; gravity 1.  With rods d_i = q_i - q_{i-1}, q_0 = 0,
//
//   H = sum_i |p_i|^2 / 2 + y_i,    g_i = (|d_i|^2 - 1) / 2,    (G' l)_i = d_i l_i - d_{i+1} l_{i+1}.
//
// Both solves are tridiagonal.  With D the rods of Q and k_i = 2, except k_1 = 1 as the anchor does not move:
//
//   positions (Newton):  k_i D_i.d_i x_i - D_i.d_{i-1} x_{i-1} - D_i.d_{i+1} x_{i+1} = g_i(Q),  l += x / h
//   momenta:             k_i D_i.D_i m_i - D_i.D_{i-1} m_{i-1} - D_i.D_{i+1} m_{i+1} = D_i.(p_i - p_{i-1})
//
// What bounds a plain code is the latency of the recurrences (a division and a multiplication per row) and,
// for long chains, memory traffic.  Hence:
//
//  * Lanes.  The chain is cut into W pieces of equal length and lane k of a SIMD register holds piece k, so
//  that
//    row j of all pieces lies in one register and everything, the recurrences included, runs W rows at a
//    time. Each piece is eliminated for itself, with one fill column u for the unknown beyond its end; this
//    leaves a tridiagonal system of W unknowns, one per piece, solved in a register by cyclic reduction.
//  * Two sweeps per step.  Backward: substitution of the Newton correction, the new p' and Q, the convergence
//    test at this Q, elimination of the momentum system.  Forward: substitution of the momentum multipliers,
//    P, then p' and Q of the next step as predicted, elimination of its Newton system.  The full momentum P
//    lives in registers and is stored in the last step only.
//  * Prediction.  The momentum multiplier m of a step and the position multiplier l of the next one are both
//    (h/2) tension + O(h^2), and exchange roles under time reversal: w = l - m is O(h^2) and smooth, so that
//    l = m + 2 w_1 - w_2 with the w of the two steps before (or a cubic in those of four).  The error of Q is
//    O(h^5) (or O(h^7)), which one Newton correction, or in fast motion two, reduces to rounding errors.
//  * As many corrections are expected as the step before needed; only the last one expected pays for the
//    elimination of the momentum system, and if the test fails there, more corrections follow.
//
// The test.  A coordinate X of Q is rounded by up to (eps/2) |X|, hence D_i by the errors of both its ends,
// and g_i by about eps (|X_i| + |Y_i|): the attainable residual grows with the distance from the origin, and
// the rows are held to 2 eps (1 + |X_i| + |Y_i|) each.
#pragma once

#include <cstdlib>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace cotangent::tuned {

struct ChainReport {
  long corrections = 0;  // Newton corrections of all steps together
  bool converged = true;
};

namespace chain_detail {

template <int W>
struct Vectors;
template <>
struct Vectors<2> {
  typedef double Real __attribute__((vector_size(16)));
  typedef long long Bits __attribute__((vector_size(16)));
};
template <>
struct Vectors<4> {
  typedef double Real __attribute__((vector_size(32)));
  typedef long long Bits __attribute__((vector_size(32)));
};
template <>
struct Vectors<8> {
  typedef double Real __attribute__((vector_size(64)));
  typedef long long Bits __attribute__((vector_size(64)));
};

template <int W>
class LaneChain {
 public:
  using V = typename Vectors<W>::Real;
  using I = typename Vectors<W>::Bits;

  explicit LaneChain(long n) : n_(n), rows_((n + W - 1) / W), plain_(rows_ - (rows_ * W - n)) {
    row_.reset(static_cast<Row*>(std::aligned_alloc(64, (sizeof(Row) * rows_ + 63) / 64 * 64)));
    for (long j = 0; j < rows_; ++j) row_[j] = Row{};
    for (int k = 0; k < W; ++k) {
      all_[k] = tail_[k] = -1;
      one_[k] = 1.0;
      anchor_[k] = k == 0 ? 1.0 : 2.0;
      padding_[k] = k == W - 1 ? 2.0 : 0.0;
    }
    tail_[W - 1] = 0;
  }

  /// q and p as x_1, y_1, x_2, y_2, ...; forgets the multipliers.
  void set(const double* q, const double* p) {
    current_ = recent_ = 0;
    expected_ = 1;
    for (long j = 0; j < rows_; ++j) {
      row_[j] = Row{};
      for (int k = 0; k < W; ++k)
        if (const long i = k * rows_ + j; i < n_)
          for (int c = 0; c < 2; ++c) {
            row_[j].q[0][c][k] = q[2 * i + c];
            row_[j].p[c][k] = p[2 * i + c];
          }
    }
  }

  void get(double* q, double* p) const {
    for (long j = 0; j < rows_; ++j)
      for (int k = 0; k < W; ++k)
        if (const long i = k * rows_ + j; i < n_)
          for (int c = 0; c < 2; ++c) {
            q[2 * i + c] = row_[j].q[current_][c][k];
            p[2 * i + c] = row_[j].p[c][k];
          }
  }

  // If a step cannot be solved (in the crack of the whip a rod may turn too far within a step for the
  // equations to have a solution), advance stops there, and the state is of no use any more.
  ChainReport advance(double h, long steps) {
    ChainReport report;
    h_ = h;
    for (long step = 0; step < steps; ++step) {
      if (step == 0)
        forward<Sweep::start>();
      else
        forward<Sweep::step>();
      int needed = 0;
      bool solved = false;
      for (int k = 1; k <= 20; ++k) {
        if (k > 1) forward<Sweep::newton>();
        const bool once_more = k < expected_;
        solved = once_more ? backward<false>() : backward<true>();
        ++report.corrections;
        if (solved && needed == 0) needed = k;
        if (solved && !once_more) break;
      }
      if (!solved) {
        report.converged = false;
        return report;
      }
      expected_ = needed;
      current_ ^= 1;
      recent_ = (recent_ + history - 1) % history;
    }
    if (steps > 0) forward<Sweep::finish>();
    return report;
  }

 private:
  enum class Sweep {
    start,   // p holds P and z the multiplier m of the step before: predict, eliminate Newton's system
    step,    // p holds p': substitute m, P, predict, eliminate Newton's system
    newton,  // p holds p': eliminate Newton's system there
    finish   // p holds p': substitute m, P; leave P in p and m in z
  };

  // How many w the prediction uses.  Four save corrections in short chains, which move fast; in long ones two
  // do, and the others would be memory traffic.
  static constexpr int history = W == 8 ? 2 : 4;

  // One row of all pieces.  q[current_] is the accepted position, the other one the new one; w[recent_] is
  // the newest w, older ones follow cyclically, and the oldest gives way to that of the step under way.  z,
  // u, o are right-hand side, fill and coupling of whichever system has been eliminated last, divided by the
  // pivot.
  struct Row {
    V q[2][2];
    V p[2];
    V z, u, o;
    V w[history];
  };

  struct Free {
    void operator()(void* a) const { std::free(a); }
  };

  /// Entry k of the result is entry k - s of a (0 where there is none), or, below, k + s.
  template <int s = 1>
  static V from_previous(V a) {
    I index;
    for (int k = 0; k < W; ++k) index[k] = k >= s ? k - s : W;
    return __builtin_shuffle(a, V{}, index);
  }
  template <int s = 1>
  static V from_next(V a) {
    I index;
    for (int k = 0; k < W; ++k) index[k] = k + s < W ? k + s : W;
    return __builtin_shuffle(a, V{}, index);
  }
  static V magnitude(V a) { return (V)((I)a & 0x7fffffffffffffffLL); }
  static V masked(V a, I mask) { return (V)((I)a & mask); }
  static V dot(V ax, V ay, V bx, V by) { return ax * bx + ay * by; }

  /// Solves lower_k t_{k-1} + diagonal_k t_k + upper_k t_{k+1} = right_k across the lanes.
  template <int s = 1>
  static V solve_across(V lower, V diagonal, V upper, V right) {
    if constexpr (s >= W) {
      return right / diagonal;
    } else {
      const V inverse = 1.0 / diagonal;
      const V a = -lower * from_previous<s>(inverse), c = -upper * from_next<s>(inverse);
      return solve_across<2 * s>(
          a * from_previous<s>(lower), diagonal + a * from_previous<s>(upper) + c * from_next<s>(lower),
          c * from_next<s>(upper), right + a * from_previous<s>(right) + c * from_next<s>(right));
    }
  }

  V predicted_w(const Row& r) const {
    const int k = recent_;
    if constexpr (history == 2)
      return 2.0 * r.w[k] - r.w[1 - k];
    else
      return 4.0 * (r.w[k] + r.w[(k + 2) % 4]) - (6.0 * r.w[(k + 1) % 4] + r.w[(k + 3) % 4]);
  }

  I mask(long j) const { return j >= plain_ ? tail_ : all_; }

  // If W does not divide n, the last rows of the last lane are padding: masses without rods.  Their rods are
  // masked to zero, which decouples them; the diagonal entry is set to 2 and the residual to 0.

  template <Sweep sweep>
  void forward() {
    constexpr bool substitute = sweep == Sweep::step || sweep == Sweep::finish;
    constexpr bool predict = sweep == Sweep::step || sweep == Sweep::start;
    constexpr bool eliminate = sweep != Sweep::finish;
    Row* const row = row_.get();
    const int now = current_, stale = (recent_ + history - 1) % history;
    const long last = rows_ - 1;
    const double h = h_;
    const V kick = V{} + 0.5 * h;

    // The ends of the pieces.
    V qx = row[0].q[now][0], qy = row[0].q[now][1];
    const V endx = row[last].q[now][0], endy = row[last].q[now][1];
    V dx = qx - from_previous(endx), dy = qy - from_previous(endy);
    const V last_dx = masked(endx - row[last - 1].q[now][0], mask(last));
    const V last_dy = masked(endy - row[last - 1].q[now][1], mask(last));
    const V beyond_dx = from_next(dx), beyond_dy = from_next(dy);
    V m{}, last_m{}, beyond_m{}, l{}, last_l{}, beyond_l{}, fill{};
    if constexpr (substitute) {
      m = first_multiplier_;
      last_m = last_multiplier_;
      beyond_m = from_next(m);
      fill = fill_ * beyond_m;
    } else if constexpr (predict) {
      m = row[0].z;
      last_m = row[last].z;
    }
    if constexpr (predict) {
      const V w = predicted_w(row[0]);
      const V last_w = predicted_w(row[last]);
      l = m + w;
      last_l = last_m + last_w;
      beyond_l = from_next(l);
      row[0].w[stale] = w;
      row[last].w[stale] = last_w;
    }
    V last_px = row[last].p[0], last_py = row[last].p[1];
    if constexpr (substitute) {
      last_px = last_px - last_dx * last_m + beyond_dx * beyond_m;
      last_py = (last_py - kick) - last_dy * last_m + beyond_dy * beyond_m;
    }
    if constexpr (predict) {
      last_px = last_px - last_dx * last_l + beyond_dx * beyond_l;
      last_py = (last_py - kick) - last_dy * last_l + beyond_dy * beyond_l;
    }
    const V last_Qx = endx + h * last_px, last_Qy = endy + h * last_py;

    // What row j - 1 hands on to row j.  Row i of a piece, eliminated, reads
    //   x_i + u_i x_before + o_i x_{i+1} = z_i,    x_before the last unknown of the piece before;
    // the starting values make the first row like the others.
    V before_dx = from_previous(last_dx), before_dy = from_previous(last_dy);
    V Qx = from_previous(last_Qx), Qy = from_previous(last_Qy);
    V factor = anchor_;
    V z{}, u = -one_, o{}, c{}, pivot{};
    // The first unknown of a piece is sum_z - sum_u x_before - (-v) x_last, with v_0 = 1, v_{i+1} = -o_i v_i,
    // and the sums those of v_i z_i and v_i u_i over all rows but the last one.
    V v = one_, sum_z{}, sum_u{};
    // Eliminates row i, with mass i at (newx, newy) and the rod after it being (nextx, nexty).
    const auto eliminate_row = [&](long i, V newx, V newy, V nextx, V nexty, auto tail) __attribute__((always_inline)) {
      V Dx = newx - Qx, Dy = newy - Qy;
      V a, g;
      if constexpr (tail) {
        Dx = masked(Dx, mask(i));
        Dy = masked(Dy, mask(i));
        g = 0.5 * dot(Dx, Dy, Dx, Dy) - masked(0.5 * one_, mask(i));
        a = factor * dot(Dx, Dy, dx, dy) + masked(padding_, ~mask(i));
      } else {
        g = 0.5 * dot(Dx, Dy, Dx, Dy) - 0.5;
        a = factor * dot(Dx, Dy, dx, dy);
      }
      const V minus_b = dot(Dx, Dy, before_dx, before_dy);
      // The chain from row to row: a product, the reciprocal.
      pivot = 1.0 / (a + (minus_b * c) * pivot);
      z = (g + minus_b * z) * pivot;
      u = (minus_b * u) * pivot;
      c = -dot(Dx, Dy, nextx, nexty);
      o = c * pivot;
      row[i].z = z;
      row[i].u = u;
      row[i].o = o;
      Qx = newx;
      Qy = newy;
      factor = 2.0 * one_;
    };
    // Row j: rod j and the multipliers there; then mass j - 1 is complete, and row j - 1 is eliminated.
    const auto visit = [&](long j, auto tail, auto end) __attribute__((always_inline)) {
      const V qx1 = row[j].q[now][0], qy1 = row[j].q[now][1];
      V dx1 = qx1 - qx, dy1 = qy1 - qy;
      if constexpr (tail) {
        dx1 = masked(dx1, mask(j));
        dy1 = masked(dy1, mask(j));
      }
      V px = row[j - 1].p[0], py = row[j - 1].p[1];
      V m1{}, l1{};
      if constexpr (substitute) {
        m1 = end ? last_m : (row[j].z - row[j].u * fill) - row[j].o * m;
        px = (px - dx * m) + dx1 * m1;
        py = ((py - kick) - dy * m) + dy1 * m1;
      } else if constexpr (predict) {
        m1 = row[j].z;
      }
      if constexpr (predict) {
        if constexpr (end) {
          l1 = last_l;
        } else {
          const V w = predicted_w(row[j]);
          l1 = m1 + w;
          row[j].w[stale] = w;
        }
        px = (px - dx * l) + dx1 * l1;
        py = ((py - kick) - dy * l) + dy1 * l1;
      }
      if constexpr (sweep != Sweep::newton) {
        row[j - 1].p[0] = px;
        row[j - 1].p[1] = py;
      }
      if constexpr (eliminate) {
        eliminate_row(j - 1, qx + h * px, qy + h * py, dx1, dy1, tail);
        sum_z += v * z;
        sum_u += v * u;
        v *= -o;
      } else {
        row[j - 1].z = m;
      }
      before_dx = dx;
      before_dy = dy;
      dx = dx1;
      dy = dy1;
      qx = qx1;
      qy = qy1;
      m = m1;
      l = l1;
    };
    const std::false_type no;
    const std::true_type yes;
    long j = 1;
    for (const long stop = plain_ < last ? plain_ : last; j < stop; ++j) visit(j, no, no);
    for (; j < last; ++j) visit(j, yes, no);
    visit(last, yes, yes);
    row[last].p[0] = last_px;
    row[last].p[1] = last_py;
    if constexpr (eliminate) {
      eliminate_row(last, last_Qx, last_Qy, beyond_dx, beyond_dy, yes);
      // x_last + u x_before + o x_beyond = z, with the first unknown of the next piece for x_beyond.
      last_correction_ = solve_across(u, 1.0 - o * from_next(sum_u), o * from_next(v), z - o * from_next(sum_z));
      before_correction_ = from_previous(last_correction_);
      first_correction_ = sum_z - sum_u * before_correction_ + v * last_correction_;
    } else {
      row[last].z = last_m;
    }
  }

  /// Applies the Newton correction, tests the new positions; eliminates the momentum system if asked to.
  template <bool momenta>
  bool backward() {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    Row* const row = row_.get();
    const int now = current_, next = 1 - current_, under_way = (recent_ + history - 1) % history;
    const long last = rows_ - 1;
    const double h = h_, inverse_h = 1.0 / h;

    // The mass at the end of the pieces, which the next piece needs.
    const V firstx = row[0].q[now][0], firsty = row[0].q[now][1];
    V qx = row[last].q[now][0], qy = row[last].q[now][1];
    const V first_dx = firstx - from_previous(qx), first_dy = firsty - from_previous(qy);
    V x = last_correction_, l1 = inverse_h * from_next(first_correction_);
    V dx1 = from_next(first_dx), dy1 = from_next(first_dy);
    const V before = before_correction_;

    V Qx{}, Qy{}, px{}, py{}, Dx{}, Dy{}, z{}, u{}, pivot{};
    V sum_z{}, sum_u{};
    I unsolved{};
    const auto move_mass = [&](long j, V dx, V dy) __attribute__((always_inline)) {
      const V l = inverse_h * x;
      row[j].w[under_way] += l;
      px = (row[j].p[0] - dx * l) + dx1 * l1;
      py = (row[j].p[1] - dy * l) + dy1 * l1;
      Qx = qx + h * px;
      Qy = qy + h * py;
      row[j].p[0] = px;
      row[j].p[1] = py;
      row[j].q[next][0] = Qx;
      row[j].q[next][1] = Qy;
      l1 = l;
      dx1 = dx;
      dy1 = dy;
    };
    // Eliminates row i of the momentum system, with mass i at (x1, y1) and the velocity (rx, ry) relative to
    // mass i - 1 at (x0, y0).  Eliminated, the row reads
    //   m_i + u_i f m_beyond + o_i m_{i-1} = z_i,    m_beyond the first unknown of the next piece, and
    // f = -D_last.D_beyond, known only when the sweep has arrived at the beginning of the next piece.
    V coupling{}, last_Dx{}, last_Dy{};
    const auto eliminate_row = [&](long i, V x1, V y1, V x0, V y0, V rx, V ry, V factor, auto tail, auto end)
        __attribute__((always_inline)) {
      V ex = x1 - x0, ey = y1 - y0;
      V a, g;
      if constexpr (tail) {
        ex = masked(ex, mask(i));
        ey = masked(ey, mask(i));
      }
      const V square = dot(ex, ey, ex, ey);
      if constexpr (tail) {
        g = square - masked(one_, mask(i));
        a = factor * square + masked(padding_, ~mask(i));
      } else {
        g = square - 1.0;
        a = factor * square;
      }
      // g is twice the constraint.
      unsolved |= ~(magnitude(g) <= 4.0 * eps + 4.0 * eps * (magnitude(x1) + magnitude(y1)));
      if constexpr (!momenta) return;
      const V right = dot(ex, ey, rx, ry);
      if constexpr (end) {
        last_Dx = ex;
        last_Dy = ey;
        pivot = 1.0 / a;
        z = right * pivot;
        u = pivot;
      } else {
        const V minus_o = dot(ex, ey, Dx, Dy);
        coupling = minus_o * pivot;
        row[i + 1].o = -coupling;
        pivot = 1.0 / (a - (minus_o * minus_o) * pivot);
        z = (right + minus_o * z) * pivot;
        u = (minus_o * u) * pivot;
      }
      row[i].z = z;
      row[i].u = u;
      Dx = ex;
      Dy = ey;
    };
    // The last unknown of a piece is sum_z - sum_u f m_beyond - (...) m_0; as the matrix is symmetric, the
    // weights of these sums are the u_i before their division by the pivot.
    V weight = one_;
    const V two = 2.0 * one_;
    const auto visit = [&](long j, V dx, V dy, auto tail, auto end) __attribute__((always_inline)) {
      const V x1 = Qx, y1 = Qy, px1 = px, py1 = py;
      move_mass(j, dx, dy);
      eliminate_row(j + 1, x1, y1, Qx, Qy, px1 - px, py1 - py, two, tail, end);
      if constexpr (!momenta) return;
      if constexpr (!end) weight *= coupling;
      sum_z += weight * z;
      sum_u += weight * u;
    };
    const auto substitute = [&](long j) __attribute__((always_inline)) {
      x = (row[j].z - row[j].u * before) - row[j].o * x;
    };
    // Rod j needs mass j - 1, which is then at hand as the next one.
    struct Point {
      V x, y;
    };
    const auto rod = [&](long j, V& dx, V& dy, auto tail) __attribute__((always_inline)) {
      const V qx0 = row[j - 1].q[now][0], qy0 = row[j - 1].q[now][1];
      dx = qx - qx0;
      dy = qy - qy0;
      if constexpr (tail) {
        dx = masked(dx, mask(j));
        dy = masked(dy, mask(j));
      }
      return Point{qx0, qy0};
    };
    const std::false_type no;
    const std::true_type yes;

    V dx, dy;
    auto before_q = rod(last, dx, dy, yes);
    move_mass(last, dx, dy);
    const V before_Qx = from_previous(Qx), before_Qy = from_previous(Qy);
    const V before_px = from_previous(px), before_py = from_previous(py);
    qx = before_q.x;
    qy = before_q.y;
    const auto interior = [&](long j, auto tail, auto end) __attribute__((always_inline)) {
      V rod_x, rod_y;
      substitute(j);
      const auto q0 = rod(j, rod_x, rod_y, tail);
      visit(j, rod_x, rod_y, tail, end);
      qx = q0.x;
      qy = q0.y;
    };
    long j = last - 1;
    if (j > 0) interior(j--, yes, yes);
    for (; j > 0 && j + 1 >= plain_; --j) interior(j, yes, no);
    for (; j > 0; --j) interior(j, no, no);
    x = first_correction_;
    if (last == 1)
      visit(0, first_dx, first_dy, yes, yes);
    else
      visit(0, first_dx, first_dy, yes, no);
    // Row 0, in which only the anchored rod feels the kick: p - (h/2) e_y against an anchor at rest.
    V anchored_kick{};
    anchored_kick[0] = 0.5 * h;
    eliminate_row(0, Qx, Qy, before_Qx, before_Qy, px - before_px, (py - before_py) - anchored_kick, anchor_, no, no);
    for (int k = 0; k < W; ++k)
      if (unsolved[k]) return false;
    if constexpr (!momenta) return true;

    // Reduced system: m_0 + u_0 f m_beyond + pivot_0 e m_before = z_0 with e = -D_before.D_0, and m_before
    // the last unknown of the piece before, for which f m_beyond is e m_0.
    const V e = -dot(from_previous(last_Dx), from_previous(last_Dy), Dx, Dy);
    fill_ = from_next(e);
    // (...) from above: the entry (last, 1) of the inverse, times the coupling of rows 0 and 1.
    const V chain = weight * row[1].o;
    const V lower = -pivot * e * from_previous(chain);
    const V diagonal = 1.0 - pivot * e * e * from_previous(sum_u);
    const V right = z - pivot * e * from_previous(sum_z);
    first_multiplier_ = solve_across(lower, diagonal, u * fill_, right);
    last_multiplier_ = sum_z - sum_u * fill_ * from_next(first_multiplier_) - chain * first_multiplier_;
    return true;
  }

  long n_, rows_;
  long plain_;  // rows from here on have padding in their last lane
  int current_ = 0, recent_ = 0, expected_ = 1;
  double h_ = 0.0;
  std::unique_ptr<Row[], Free> row_;
  I all_, tail_;
  V one_, anchor_, padding_;
  V last_correction_, before_correction_, first_correction_;
  V first_multiplier_, last_multiplier_, fill_;
};

}  // namespace chain_detail

/// A chain of n >= 3 links.  The constructor allocates, advance does not.
class Chain {
 public:
  explicit Chain(long n) : chain_(make(n)) {}
  void set(const double* q, const double* p) {
    std::visit([&](auto& c) { c.set(q, p); }, chain_);
  }
  void get(double* q, double* p) const {
    std::visit([&](const auto& c) { c.get(q, p); }, chain_);
  }
  ChainReport advance(double h, long steps) {
    return std::visit([&](auto& c) { return c.advance(h, steps); }, chain_);
  }

 private:
  template <int W>
  using Lanes = chain_detail::LaneChain<W>;
#if defined(__AVX512F__)
  static constexpr int widest = 8;
  using Any = std::variant<Lanes<2>, Lanes<4>, Lanes<8>>;
#else
  static constexpr int widest = 4;
  using Any = std::variant<Lanes<2>, Lanes<4>>;
#endif
  // Every lane must have more rows than there is padding: n > (W - 1) ceil(n / W).
  static Any make(long n) {
    if (n < 10) return Any(std::in_place_type<Lanes<2>>, n);
    if (n < 50) return Any(std::in_place_type<Lanes<4>>, n);
    return Any(std::in_place_type<Lanes<widest>>, n);
  }
  Any chain_;
};

}  // namespace cotangent::tuned
