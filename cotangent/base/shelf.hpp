#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace cotangent {

/// Things that are made when first asked for, once, whichever thread asks, and kept where they are: by their type and a
/// key. Making one may ask for others.
class Shelf {
 public:
  /// @param make gives the thing; where it throws, the next one to ask tries again.
  template <class Thing, class Make>
  const Thing& find(const std::string& key, const Make& make) const {
    Entry& entry = at({typeid(Thing), key});
    std::call_once(entry.made, [&] { entry.thing = std::shared_ptr<const Thing>(new const Thing(make())); });
    return *static_cast<const Thing*>(entry.thing.get());
  }

 private:
  struct Entry {
    std::once_flag made;
    std::shared_ptr<const void> thing;
  };

  Entry& at(const std::pair<std::type_index, std::string>& key) const {
    const std::lock_guard lock(mutex_);
    return entries_[key];
  }

  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::type_index, std::string>, Entry> entries_;
};

}  // namespace cotangent
