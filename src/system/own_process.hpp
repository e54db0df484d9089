// What a process asks its system about itself, and how it ends. Texts are UTF-8. POSIX has it in
// own_process_posix.cpp, Windows in own_process_windows.cpp.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace catena::system {

// A variable of the environment; empty where it is not set.
std::string variable(const char* name);
#ifdef _WIN32
constexpr bool on_windows = true;
constexpr char between_folders = ';';          // the folders of PATH and the like
constexpr const char* between_names = "/\\:";  // the characters that make a name a path
#else
constexpr bool on_windows = false;
constexpr char between_folders = ':';
constexpr const char* between_names = "/";
#endif
inline bool names_a_folder(const std::string& path) { return path.find_first_of(between_names) != std::string::npos; }

std::vector<std::string> arguments(int argc, char** argv);  // those after the program's name
// To be called first in main(): output as it was written, whatever the terminal was set to, and nowhere else where a
// standard stream is closed.
void prepare_streams();
bool is_terminal(int file);
long number_of_process();
bool process_exists(long number);                     // of the same machine
std::string program_file();                           // with links resolved; empty where the system does not tell
std::string library_file_with(const void* function);  // of the library or program that has it; else empty
std::tm utc(std::time_t seconds);
struct Machine {
  std::string system, processor;  // "Linux", "macOS" or "Windows", else empty; "x86_64", "aarch64", …
};
Machine machine();

// Where programs keep what they can make again: $XDG_CACHE_HOME or ~/.cache, %LOCALAPPDATA%; empty where none is set.
std::string cache_folder();
extern const char* const cache_variables;  // their names, in words

// --- signals ---

using Handler = void (*)(int);
// Calls the handler at Ctrl-C and when the process is asked to end, as long as this lives. `once`: the second time the
// process ends as usual, and what was ignored before stays ignored.
class EndHandlers {
 public:
  EndHandlers(Handler handler, bool once);
  ~EndHandlers();
  EndHandlers(const EndHandlers&) = delete;
  EndHandlers& operator=(const EndHandlers&) = delete;

 private:
  struct Old;
  std::unique_ptr<Old> old_;
};
// A closed pipe and the limit on file sizes then appear as failed writes.
void ignore_failed_writes();
// Ends as other programs do whose output nobody reads any more: by the signal, where there is one. Else returns the
// status to end with.
int end_of_closed_pipe();

}  // namespace catena::system
