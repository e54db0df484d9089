#include "system/own_process.hpp"

#include "system/wide.hpp"
// Windows' own header comes first.
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <array>
#include <csignal>

namespace catena::system {
namespace {

std::string file_of(HMODULE module) {
  std::wstring path(32768, L'\0');
  const DWORD size = ::GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size()));
  return utf8(std::wstring_view(path).substr(0, size));
}

}  // namespace

std::string variable(const char* name) {
  const std::wstring wide_name = wide(name);
  std::wstring value(32768, L'\0');  // the longest that Windows allows
  const DWORD size = ::GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size()));
  return size < value.size() ? utf8(std::wstring_view(value).substr(0, size)) : "";
}

// Those of main() are in the code page of the system, which has no room for other letters.
std::vector<std::string> arguments(int, char**) {
  std::vector<std::string> out;
  int count = 0;
  wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  for (int k = 1; words != nullptr && k < count; ++k) out.push_back(utf8(words[k]));
  ::LocalFree(words);
  return out;
}

void prepare_streams() {
  for (const int stream : {0, 1, 2}) ::_setmode(stream, _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
  // Terminals that know the escape sequences that clear a line.
  HANDLE errors = ::GetStdHandle(STD_ERROR_HANDLE);
  DWORD mode = 0;
  if (::GetConsoleMode(errors, &mode) != 0) ::SetConsoleMode(errors, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

// _isatty() also takes NUL and printers for terminals.
bool is_terminal(int file) {
  DWORD mode = 0;
  return ::GetConsoleMode(reinterpret_cast<HANDLE>(::_get_osfhandle(file)), &mode) != 0;
}

long number_of_process() { return static_cast<long>(::GetCurrentProcessId()); }

bool process_exists(long number) {
  HANDLE process = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(number));
  if (process == nullptr) return ::GetLastError() != ERROR_INVALID_PARAMETER;
  const bool runs = ::WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
  ::CloseHandle(process);
  return runs;
}

std::string program_file() { return file_of(nullptr); }

std::string library_file_with(const void* function) {
  HMODULE module = nullptr;
  const DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExW(how, static_cast<const wchar_t*>(function), &module) == 0) return {};
  return file_of(module);
}

std::tm utc(std::time_t seconds) {
  std::tm parts{};
  ::gmtime_s(&parts, &seconds);
  return parts;
}

Machine machine() { return {"Windows", "x86_64"}; }

std::string cache_folder() { return variable("LOCALAPPDATA"); }
const char* const cache_variables = "LOCALAPPDATA";

// Windows calls the handler in a thread of its own, once.
struct EndHandlers::Old {
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGBREAK};
  std::array<Handler, signals.size()> handlers{};
};

EndHandlers::EndHandlers(Handler handler, bool) : old_(std::make_unique<Old>()) {
  for (std::size_t k = 0; k < Old::signals.size(); ++k) {
    old_->handlers[k] = std::signal(Old::signals[k], handler);
    if (old_->handlers[k] == SIG_IGN) std::signal(Old::signals[k], SIG_IGN);
  }
}

EndHandlers::~EndHandlers() {
  for (std::size_t k = 0; k < Old::signals.size(); ++k)
    std::signal(Old::signals[k], old_->handlers[k] == SIG_ERR ? SIG_DFL : old_->handlers[k]);
}

void ignore_failed_writes() {}

int end_of_closed_pipe() {
  constexpr int as_on_posix = 128 + 13;
  return as_on_posix;
}

}  // namespace catena::system
