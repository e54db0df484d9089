#include "system/own_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace catena::system {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read only
  return value != nullptr ? value : "";
}

std::vector<std::string> arguments(int argc, char** argv) {
  return argc > 0 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

// A file that is opened later must not take the place of a closed stream: messages would go into it. What takes it
// instead can be neither read nor written, so that using the stream is still an error.
void prepare_streams() {
  constexpr std::array<int, 3> other_way = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      const int taken = ::open("/dev/null", other_way[static_cast<std::size_t>(stream)]);
}

bool is_terminal(int file) { return ::isatty(file) != 0; }

long number_of_process() { return ::getpid(); }

bool process_exists(long number) { return ::kill(static_cast<pid_t>(number), 0) == 0 || errno != ESRCH; }

std::string program_file() {
  std::error_code ignored;
#ifdef __APPLE__
  std::array<char, 4096> name{};
  auto size = static_cast<std::uint32_t>(name.size());
  if (::_NSGetExecutablePath(name.data(), &size) != 0) return {};
  return std::filesystem::canonical(name.data(), ignored).string();
#else
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
#endif
}

std::string library_file_with(const void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? "" : file.string();
}

std::tm utc(std::time_t seconds) {
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

Machine machine() {
  struct utsname own {};
  if (::uname(&own) != 0) return {};
  const std::string name = own.sysname;
  return {name == "Linux" ? name : name == "Darwin" ? "macOS" : "", own.machine};
}

std::string cache_folder() {
  if (std::string shared = variable("XDG_CACHE_HOME"); shared.starts_with('/')) return shared;
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache";
  return {};
}
const char* const cache_variables = "XDG_CACHE_HOME or HOME";

struct EndHandlers::Old {
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> actions{};
};

// Interrupted reads are not restarted, so a program that waits for input notices the signal.
EndHandlers::EndHandlers(Handler handler, bool once) : old_(std::make_unique<Old>()) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = once ? static_cast<int>(SA_RESETHAND) : 0;
  sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < Old::signals.size(); ++k) {
    ::sigaction(Old::signals[k], nullptr, &old_->actions[k]);
    const bool hangs_up = Old::signals[k] == SIGHUP;
    if (once ? old_->actions[k].sa_handler != SIG_IGN : !hangs_up)  // nohup relies on signals staying ignored
      ::sigaction(Old::signals[k], &action, nullptr);
  }
}

EndHandlers::~EndHandlers() {
  for (std::size_t k = 0; k < Old::signals.size(); ++k) ::sigaction(Old::signals[k], &old_->actions[k], nullptr);
}

void ignore_failed_writes() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

int end_of_closed_pipe() {
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

}  // namespace catena::system
