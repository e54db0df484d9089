// A file that is written in pieces over more than one run: its rows grow in FILE.part, a journal beside it says for
// what and how far, and the file appears under its own name when it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace catena::cli {

class PartFile {
 public:
  // What a run computes, as (what it is called, its text): all of it must be the same for a run to continue.
  using Identity = std::vector<std::pair<std::string, std::string>>;
  struct Progress {
    std::uint64_t rows = 0, failed = 0, first_failed = 0;
  };

  // Begins, or continues where the same run stopped. Throws UsageError where another run has begun the file and
  // `restart` does not say that it may be lost, or is writing it now.
  PartFile(const std::string& path, const std::string& header, std::uint64_t row_bytes, const Identity& identity,
           bool restart);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const Progress& done() const { return done_; }  // kept by an earlier run, or by keep()
  void write(std::uint64_t row, const void* bytes, std::size_t count);
  void keep(const Progress& progress);  // all that was written is on the disk; then the journal says so
  void finish();                        // the file takes its place, the journal goes

 private:
  bool continues(const Identity& identity);
  void begin(const std::string& header, const Identity& identity);
  [[noreturn]] void fail(const std::string& file) const;

  std::string path_, part_, journal_;
  std::uint64_t header_bytes_, row_bytes_;
  int file_ = -1, log_ = -1;
  Progress done_;
};

}  // namespace catena::cli
