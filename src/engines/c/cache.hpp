// Code that was compiled before, in a folder that is the user's alone. An entry is written under a temporary name and
// renamed when it is whole; it ends with a checksum of itself and its key, without which it is not used.
#pragma once

#include <functional>
#include <string>

#include "system/descriptor.hpp"

namespace catena::jit {

using system::Descriptor;

class Cache {
 public:
  // The folder, made when it does not exist. Empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena.
  // Throws CompileError when it cannot be used: not ours, open to others, not writable.
  // Entries are called KEY and the suffix.
  explicit Cache(const std::string& folder, std::string suffix = ".so");

  // The path of the entry; empty when there is none that can be trusted.
  std::string find(const std::string& key) const;

  // Makes the entry: `build` gets the paths of a file with the source text and of the library that it is to make.
  // Returns the entry's path. When something fails, nothing is left behind.
  using Build = std::function<void(const std::string& source, const std::string& output)>;
  std::string add(const std::string& key, const std::string& source, const Build& build) const;

 private:
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
  bool seal(const std::string& key, const std::string& path) const;
  void remove_leftovers() const;

  std::string folder_, suffix_;
  Descriptor descriptor_;
};

}  // namespace catena::jit
