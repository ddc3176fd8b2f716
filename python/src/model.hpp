#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/model/source/source.hpp"

/// A model as Python holds it. Threads may share it.
class ModelHandle {
 public:
  /// A file, or a text with the name that stands in messages. @throws ModelError
  static std::shared_ptr<ModelHandle> from_file(const std::string& file, const std::vector<std::string>& set);
  static std::shared_ptr<ModelHandle> from_text(const std::string& text, const std::string& name,
                                                const std::vector<std::string>& set);
  explicit ModelHandle(cotangent::Model model) : stated_(std::move(model)) {}

  /// As it was stated: initial values may be missing, which analyses do without.
  const cotangent::Model& stated() const { return stated_; }

  /// The same, with all initial values. @throws ModelError where some are missing.
  const cotangent::Model& complete() const;

  /// What a run integrates. @throws ModelError where it lacks something that a run needs.
  const cotangent::Model& runnable();

 private:
  cotangent::Model stated_;
  std::mutex mutex_;
  std::optional<cotangent::Model> runnable_;
};
