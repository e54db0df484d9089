// Code that was compiled before, in a folder that is the user's alone. An entry is a file: the code as its compiler
// made it, and behind that, where no loader looks, lines of text:
//   catena-compiled-2      the version of this format
//   FORMULATION            one line for each job, in the order of the jobs; none where there is no formulation
//   CHECKSUM               of all that stands before it and of the key; without it the entry is not used
// It is written under a temporary name and renamed when it is whole.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "system/descriptor.hpp"

namespace catena::engines {

// One line that says why there is no code. The engines turn it into errors of their own.
class MakeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is compiled.
struct SourceText {
  std::string source;
  std::vector<std::string> formulations;  // that it was made of, by job
};

class Cache {
 public:
  // The folder, made when it does not exist. Empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena.
  // Throws MakeError when it cannot be used: not ours, open to others, not writable.
  // Entries are called KEY and the suffix.
  Cache(const std::string& folder, std::string suffix);

  struct Entry {
    std::string path;
    std::vector<std::string> formulations;  // as SourceText's
  };
  // Nothing when there is none that can be trusted.
  std::optional<Entry> find(const std::string& key) const;

  // Makes the entry: `build` gets the paths of a file with the source text and of the code that it is to make. When
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
