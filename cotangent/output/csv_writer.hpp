#pragma once

#include <cstdio>
#include <optional>
#include <string>

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

  void state(Archive& archive) { archive("bytes", bytes, "fingerprint", fingerprint); }
};

/// Writes a trajectory as it is made: a header line and a line for each record,
///
///   t,x,y,p_x,p_y,energy,position,momentum
///
/// (the time, the coordinates, their momenta, the states, the observables, what is monitored) with `x[1]`, `r[1,2]` for
/// array entries (the latter in quotes, because of its comma) and every number in the shortest form that reads back as
/// the same number.
template <class T>
class CsvWriter final : public Recorder<T> {
 public:
  /// Creates the file, or empties it; writes nothing yet. @throws std::runtime_error if it cannot be opened.
  /// @param manifold of the model; must outlive the writer.
  /// @param after goes on with a file that exists, after this part of it; what was written behind it is cut off.
  CsvWriter(std::string path, const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
            const std::optional<WrittenPart>& after = {});
  ~CsvWriter() override;

  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override;

  /// Writes what is left and closes the file.
  void finish() override;

  /// The file with all records so far. @throws std::runtime_error if they could not be written.
  WrittenPart written();

 private:
  void open(const std::string& header, const std::optional<WrittenPart>& after);
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::FILE* file_ = nullptr;
  PointColumns<T> columns_;
  std::string buffer_;
  std::int64_t written_ = 0;  // bytes
  Fingerprint fingerprint_;   // of them
};

COTANGENT_DECLARE(PRECISIONS, CsvWriter);

}  // namespace cotangent
