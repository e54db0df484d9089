#include "system/process.hpp"

#include "system/wide.hpp"
// Windows' own header comes first.
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

#include "system/ending.hpp"
#include "system/own_process.hpp"

namespace catena::system {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto tick_time = std::chrono::milliseconds(200);
constexpr DWORD look_ms = 2;  // between looks at what the program has printed

struct Closing {
  void operator()(HANDLE handle) const { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, Closing>;

[[noreturn]] void fail_to_start(const std::string& program) {
  throw StartError("cannot start '" + program + "': " + in_words(::GetLastError()));
}

struct Pipe {
  Handle from, to;
  explicit Pipe(const std::string& program) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    HANDLE ends[2];
    if (::CreatePipe(&ends[0], &ends[1], &inherited, 1U << 16U) == 0) fail_to_start(program);
    from.reset(ends[0]);
    to.reset(ends[1]);
    ::SetHandleInformation(ends[0], HANDLE_FLAG_INHERIT, 0);
  }
};

// A word as the C library of the other program takes it from its command line.
std::wstring quoted(const std::wstring& word) {
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == std::wstring::npos) return word;
  std::wstring out = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t letter : word) {
    if (letter == L'"') out.append(backslashes + 1, L'\\');  // those before it double
    backslashes = letter == L'\\' ? backslashes + 1 : 0;
    out += letter;
  }
  return out.append(backslashes, L'\\') + L'"';
}

std::wstring command_line(const std::vector<std::string>& words) {
  std::wstring out;
  for (const std::string& word : words) out += (out.empty() ? L"" : L" ") + quoted(wide(word));
  return out;
}

struct WithoutCase {
  bool operator()(const std::wstring& a, const std::wstring& b) const {
    return ::CompareStringOrdinal(a.c_str(), -1, b.c_str(), -1, TRUE) == CSTR_LESS_THAN;
  }
};

// The variables of this process with those of the program in their place, each ended by a zero, sorted.
std::wstring environment(const std::vector<std::string>& own) {
  std::map<std::wstring, std::wstring, WithoutCase> all;
  const auto put = [&](const std::wstring& text) {
    const std::size_t end = text.find(L'=', 1);  // a name may begin with it
    if (end != std::wstring::npos) all[text.substr(0, end)] = text.substr(end);
  };
  wchar_t* const here = ::GetEnvironmentStringsW();
  for (const wchar_t* at = here; at != nullptr && *at != L'\0'; at += std::wstring_view(at).size() + 1) put(at);
  ::FreeEnvironmentStringsW(here);
  for (const std::string& variable : own) put(wide(variable));
  std::wstring out;
  for (const auto& [name, value] : all) out += name + value + L'\0';
  return out + L'\0';
}

// A job ends with its last handle, and everything in it: when this process ends, for whatever reason, nothing is left.
Handle make_job(const std::string& program) {
  Handle job(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (!job || ::SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) == 0)
    fail_to_start(program);
  return job;
}

// The handles that the program inherits, and no others.
class Inherited {
 public:
  Inherited(STARTUPINFOEXW& start, std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T bytes = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    memory_.resize(bytes);
    start.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    list_ = start.lpAttributeList;
    ::InitializeProcThreadAttributeList(list_, 1, 0, &bytes);
    ::UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                handles_.size() * sizeof(HANDLE), nullptr, nullptr);
  }
  ~Inherited() { ::DeleteProcThreadAttributeList(list_); }
  Inherited(const Inherited&) = delete;
  Inherited& operator=(const Inherited&) = delete;

 private:
  std::vector<HANDLE> handles_;
  std::vector<char> memory_;
  LPPROC_THREAD_ATTRIBUTE_LIST list_;
};

// Returns the process, which belongs to the job.
Handle start(const Program& program, HANDLE job, Pipe& output, Pipe& errors) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const Handle nothing(
      ::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
  STARTUPINFOEXW about{};
  about.StartupInfo.cb = sizeof about;
  about.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  about.StartupInfo.hStdInput = nothing.get();
  about.StartupInfo.hStdOutput = output.to.get();
  about.StartupInfo.hStdError = program.errors_apart ? errors.to.get() : output.to.get();
  const Inherited list(about, {nothing.get(), output.to.get(), errors.to.get()});
  std::wstring line = command_line(program.words), variables = environment(program.variables);
  PROCESS_INFORMATION made{};
  constexpr DWORD how = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT;
  if (::CreateProcessW(wide(program.words[0]).c_str(), line.data(), nullptr, nullptr, TRUE, how, variables.data(),
                       nullptr, &about.StartupInfo, &made) == 0)
    fail_to_start(program.words[0]);
  Handle process(made.hProcess);
  const Handle thread(made.hThread);
  ::AssignProcessToJobObject(job, process.get());
  ::ResumeThread(thread.get());
  output.to.reset();
  errors.to.reset();
  return process;
}

// Takes what is there; false where the other end is closed.
bool take(HANDLE from, std::size_t most, std::string& to, bool& full, bool& took) {
  DWORD there = 0;
  if (::PeekNamedPipe(from, nullptr, 0, nullptr, &there, nullptr) == 0) return false;
  if (there == 0) return true;
  char buffer[4096];
  DWORD got = 0;
  if (::ReadFile(from, buffer, sizeof buffer, &got, nullptr) == 0) return false;
  took = true;
  if (to.size() < most)
    to.append(buffer, got);
  else
    full = true;
  return true;
}

// Reads until the program has ended and the other ends are closed (true), or the time is up, the program prints too
// much or the tick says so (false).
bool read_until(const Program& program, HANDLE process, Pipe& output, Pipe& errors, Clock::time_point end,
                Finished& finished, const std::function<bool()>& tick) {
  bool open[] = {true, true};
  auto next_tick = Clock::now();
  for (;;) {
    bool took = false;
    if (open[0]) open[0] = take(output.from.get(), program.most_output, finished.output, finished.full, took);
    if (open[1]) open[1] = take(errors.from.get(), program.most_output, finished.errors, finished.full, took);
    if (finished.full && program.ends_when_full) return false;
    const auto now = Clock::now();
    if (now >= next_tick) {
      next_tick = now + tick_time;
      if (!tick()) return false;
    }
    if (!open[0] && !open[1] && ::WaitForSingleObject(process, look_ms) == WAIT_OBJECT_0) return true;
    if (now >= end) return false;
    if (!took) ::Sleep(look_ms);
  }
}

}  // namespace

void ask_to_end(Group group) noexcept { ::TerminateJobObject(reinterpret_cast<HANDLE>(group), 1); }

Finished run_program(const Program& program, const std::function<void()>& tick) {
  std::exception_ptr stopped;  // by the tick: the program is ended first
  const auto guarded = [&] {
    try {
      if (tick) tick();
    } catch (...) {
      stopped = std::current_exception();
    }
    return !stopped;
  };
  Pipe output(program.words[0]), errors(program.words[0]);
  const Handle job = make_job(program.words[0]);
  const unsigned ended_before = times_ended.load();
  const Handle process = start(program, job.get(), output, errors);
  const RunningGroup running(reinterpret_cast<Group>(job.get()), ended_before);
  Finished finished;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(program.timeout));
  const bool ended = read_until(program, process.get(), output, errors, end, finished, guarded);
  if (!ended) {
    finished.timed_out = !(finished.full && program.ends_when_full);
    ::TerminateJobObject(job.get(), 1);
    ::WaitForSingleObject(process.get(), INFINITE);
  }
  if (stopped) std::rethrow_exception(stopped);
  DWORD status = 0;
  if (ended && ::GetExitCodeProcess(process.get(), &status) != 0) finished.status = static_cast<int>(status);
  return finished;
}

std::string on_path(const std::string& name) {
  const auto runs = [](const std::filesystem::path& path) -> std::string {
    std::error_code ignored;
    for (const char* ending : {"", ".exe"}) {
      std::filesystem::path file = path;
      file += ending;
      if ((*ending != '\0' || file.has_extension()) && std::filesystem::is_regular_file(file, ignored))
        return file.string();
    }
    return "";
  };
  if (names_a_folder(name)) return runs(name);
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, between_folders);) {
    const std::filesystem::path place(folder);
    if (!place.is_absolute()) continue;
    if (std::string found = runs(place / name); !found.empty()) return found;
  }
  return "";
}

}  // namespace catena::system
