// A job of one robot as C, compiled to a library by the system's compiler (engines/made_code.hpp) and loaded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/compile.hpp"
#include "catena/program.hpp"

namespace catena::jit {

// What distinguishes one kind of compiled code from another.
struct CodeKind {
  std::function<std::string(const Program&)> source;  // C with a function robot_call
  std::vector<std::string> flags;                     // for the compiler, in addition to the usual ones
  // Runs robot_call. Returns what is wrong with it, as words to follow its name; empty: nothing.
  std::function<std::string(const Program&, void* function)> test;
};

struct CompiledCode {
  void* function = nullptr;             // robot_call
  std::shared_ptr<const void> library;  // keeps it loaded
  std::string formulation;
  EngineReport report{};
};

// Throws std::invalid_argument.
const JobInfo& required_job(const Mechanism& robot, std::string_view job, const CompileOptions& options);

// Throws CompileError.
CompiledCode compile_code(const Mechanism& robot, const JobInfo& job, const CompileOptions& options,
                          const CodeKind& kind);

}  // namespace catena::jit
