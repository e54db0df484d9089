#include "catena/io/text_file.hpp"

#include <filesystem>

#include "../system/replaced_file.hpp"
#include "file.hpp"

namespace catena {

void write_text_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    io::fail(path, "exists and is no regular file");
  system::ReplacedFile file(path);
  const bool written =
      file.open() && system::write_all(file.get(), text) && ::fsync(file.get()) == 0 && file.take_place();
  if (!written) io::fail_with_errno(path, "cannot write this file");
}

}  // namespace catena
