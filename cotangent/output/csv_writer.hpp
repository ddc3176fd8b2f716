#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cotangent/base/appended_file.hpp"
#include "cotangent/base/archive.hpp"
#include "cotangent/base/fingerprint.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/simulation/recorder.hpp"

namespace cotangent {

/// The beginning of a file, as it was written: where a resumed run goes on, if the file is still the same up to there.
struct WrittenPart {
  std::int64_t bytes = 0;
  std::string fingerprint;
  std::string rest;  ///< lines that could not be written

  void state(Archive& archive) { archive("bytes", bytes, "fingerprint", fingerprint, "rest", rest); }
};

/// The files that CsvWriter writes: tables of all variables of the model. What is watched may be something else.
FileKind record_kind(const Model& model);

/// Writes a trajectory as it is made: a header line and a line for each record,
///
///   t,x,y,p_x,p_y,energy,position,momentum
///
/// (the time, the coordinates, their momenta, the states, the observables, what is monitored) with `x[1]`, `r[1,2]` for
/// array entries (the latter in quotes, because of its comma) and every number in the shortest form that reads back as
/// the same number. Whatever happens, the file ends with a whole line.
template <class T>
class CsvWriter final : public Recorder<T> {
 public:
  /// Opens the file, or creates it, and changes nothing before the first record. @throws FileError
  /// @param manifold of the model; must outlive the writer.
  /// @param after goes on with a file that exists, after this part of it; what was written behind it is cut off.
  CsvWriter(std::string path, const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
            const std::optional<WrittenPart>& after = {});
  ~CsvWriter() override;

  /// Once something could not be written lines are kept, and nothing more is tried: written() has them.
  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override;

  void flush() override;

  /// Writes the lines that are left and closes the file.
  void finish() override;

  /// The file as it is.
  WrittenPart written() const;

 private:
  void expect_part(const WrittenPart& part);
  void begin();
  void write();

  AppendedFile file_;
  PointColumns<T> columns_;
  std::string buffer_;        // lines that are not written
  std::int64_t written_ = 0;  // bytes
  Fingerprint fingerprint_;   // of them
  bool is_begun_ = false, is_broken_ = false, is_finished_ = false;
};

COTANGENT_DECLARE(PRECISIONS, CsvWriter);

}  // namespace cotangent
