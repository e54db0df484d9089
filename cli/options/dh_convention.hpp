// --convention of commands that print Denavit-Hartenberg rows.
#pragma once

#include <string>

#include "catena/dh_rows.hpp"
#include "command.hpp"

namespace catena::cli {

inline void add_dh_convention(CLI::App& command, std::string& convention) {
  command.add_option("--convention", convention, "convention of the rows; default classic")
      ->check(one_of({"classic", "modified"}))
      ->type_name("classic|modified");
}

inline DhConvention dh_convention(const std::string& word) {
  return word == "modified" ? DhConvention::modified : DhConvention::classic;
}

}  // namespace catena::cli
