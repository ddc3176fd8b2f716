#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// Where a number of a record comes from.
enum class RecordPart : std::uint8_t {
  q,
  p,
  s,
  velocity,     ///< v = H_p
  multiplier,   ///< lambda
  hamiltonian,  ///< H itself
  g,            ///< with its sign
  psi,          ///< G H_p + g_t, with its sign
  observable,
  monitor,     ///< as it is reported, mostly a magnitude
  signal,      ///< of a monitor, with its sign
  own_first,   ///< the first half of the variables of the formulation, delta
  own_second,  ///< the second half, theta or p*
  striction,   ///< l of p* = p + G'l
};

/// A number of a record or an array of them, under one name.
struct RecordField {
  std::string name;  ///< "x", "p_r", "lambda_rod", "energy"
  RecordPart part = RecordPart::q;
  std::vector<std::int64_t> shape = {};   ///< of the array; empty for a number
  std::vector<std::int64_t> places = {};  ///< in the part, the last index running fastest
  std::vector<std::string> columns = {};  ///< the names of the numbers, "r[1,2]"

  std::size_t size() const { return places.size(); }
};

/// The variables of a formulation that are not those of the model.
struct OwnNames {
  std::string first, second;  ///< "delta", "theta"; empty where a half is known under other names
  std::int64_t size = 0;      ///< of a half
  bool has_impetus = false;   ///< the second half is p*, and there are strictions
};

/// Everything that a record can have: the one list of it. In the order in which it is searched:
///
///   x, p_x, u             coordinates, momenta, states
///   v_x                   velocities
///   lambda_rod            multipliers
///   hamiltonian           H
///   g_rod, psi_rod        residuals: g, and the hidden G H_p + g_t
///   p_star_x              p* of impetus, striction_rod
///   delta, theta          coordinates of a chart, and their momenta
///   length                observables
///   energy                what is monitored
class RecordTable {
 public:
  /// Both outlive this. @param monitors their full names.
  RecordTable(const Model& model, const Elements& elements, const std::vector<std::string>& monitors,
              const OwnNames& own = {});

  /// What a record has unless something is chosen: coordinates, momenta, states, observables, monitors.
  std::vector<RecordField> usual() const;

  /// What a list of names stands for, each once: a name of the table; a number of an array, `r[1,2]`; or a word for all
  /// of a kind, such as `velocities` or `v`, where nothing is called so. @throws UnknownName
  std::vector<RecordField> choose(const std::vector<std::string>& list) const;

  /// Single numbers; those that are monitored have their signs. @throws UnknownName
  std::vector<RecordField> signals(const std::vector<std::string>& list) const;

 private:
  struct Row {
    std::string name;
    RecordPart part;
    std::vector<std::int64_t> shape;
    std::int64_t first = 0;
    const NamedRows* rows = nullptr;      // of constraints and observables
    const NamedValues* values = nullptr;  // as the model states them, where it does
  };

  void add_variables(const char* prefix, RecordPart part);
  void add_rows(const char* prefix, RecordPart part);
  RecordField field(const Row& row) const;
  std::optional<RecordField> find(const std::string& name) const;
  std::string column_name(const Row& row, std::int64_t place) const;
  [[noreturn]] void refuse(const char* kind, const std::string& name, bool has_words) const;

  const Model& model_;
  const Elements& elements_;
  std::vector<Row> all_;
};

}  // namespace cotangent
