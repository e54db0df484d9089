// A file that is written in pieces over several runs: its rows accumulate in FILE.part, a journal beside it records
// which run it belongs to and how far it got, and the file gets its own name when it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace catena::cli {

class PartFile {
 public:
  // What a run computes, as pairs of a name and a text: all of them must match for a run to be continued.
  using Identity = std::vector<std::pair<std::string, std::string>>;
  struct Progress {
    std::uint64_t rows = 0, failed = 0, first_failed = 0;
  };

  // Begins the file, or continues where the same run stopped. Throws UsageError where a different run has begun the
  // file and `restart` is false, or where another process is writing it now.
  PartFile(const std::string& path, const std::string& header, std::uint64_t row_bytes, const Identity& identity,
           bool restart);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const Progress& done() const { return done_; }  // saved by an earlier run, or by keep()
  void write(std::uint64_t row, const void* bytes, std::size_t count);
  void keep(const Progress& progress);  // flushes everything written to the disk, then records it in the journal
  void finish();                        // gives the file its name and removes the journal

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
