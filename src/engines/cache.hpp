// Compiled code, cached in a folder that only the user can write. An entry is a file: the code as its compiler wrote
// it, followed, where no loader looks, by lines of text:
//   catena-compiled-2      the version of this format
//   FORMULATION            one line for each job, in the order of the jobs; none where there is no formulation
//   CHECKSUM               of everything before it and of the key; without it the entry is not used
// It is written under a temporary name and renamed when it is complete.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "system/descriptor.hpp"

namespace catena::engines {

// One line that says why there is no code. Each engine converts it to its own error.
class MakeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The source to compile.
struct SourceText {
  std::string source;
  std::vector<std::string> formulations;  // that it was generated from, by job
};

class Cache {
 public:
  // The folder is created when it does not exist. Empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena.
  // Throws MakeError when it cannot be used: not owned by the user, writable by others, in a folder where everybody can
  // replace it, not writable.
  // Entries are named KEY followed by the suffix.
  Cache(const std::string& folder, std::string suffix);

  struct Entry {
    std::string path;
    std::vector<std::string> formulations;  // as in SourceText
  };
  // None when there is no entry that can be trusted.
  std::optional<Entry> find(const std::string& key) const;

  // Creates the entry: `build` gets the path of a file with the source text and the path of the code to create. When
  // something fails, nothing is left behind.
  using Build = std::function<void(const std::string& source, const std::string& output)>;
  Entry add(const std::string& key, const SourceText& text, const Build& build) const;

 private:
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
  void remove_leftovers() const;

  std::string folder_, suffix_;
  system::Descriptor descriptor_;
};

}  // namespace catena::engines
