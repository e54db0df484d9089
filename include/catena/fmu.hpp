// Functional Mock-up Units: a robot, with a control law inside if asked for, as other simulators load it.
// docs/fmu.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/compile.hpp"
#include "catena/laws.hpp"
#include "catena/mechanism.hpp"
#include "catena/program.hpp"

namespace catena {

struct FmuOptions {
  std::string name = "robot";  // the model identifier: letters, digits and _
  int fmi = 3;                 // the standard's version: 3 (3.0) or 2 (2.0)
  bool model_exchange = true, co_simulation = true;
  std::optional<LawOptions> law{};  // computes the torques, sampled; its reference is the input. None: torques are
  int frame = tool_frame;           // whose pose is an output, and where the payload is
  bool search = true;               // for the cheapest program
  long most_operations = usual_most_operations;
  std::string version{};  // of the program that asks
  SearchProgress progress{};
};

// What is in the archive.
struct Fmu {
  struct File {
    std::string name, content;
  };
  std::vector<File> files;  // modelDescription.xml first
  std::string no_binary{};  // why there is none; empty: there is one
  Program program;          // what is integrated
};

// modelDescription.xml and sources. Throws std::invalid_argument for a robot, a law or a name that cannot be in an FMU,
// and TooManyOperations.
Fmu make_fmu(const Mechanism& robot, const FmuOptions& options);

// Adds this machine's binary, or says in no_binary why there is none. Of the options it reads compiler and timeout.
void add_binary(Fmu& fmu, const FmuOptions& options, const CompileOptions& compiling = {});

// The bytes of the .fmu file.
std::string archive_of(const Fmu& fmu);

}  // namespace catena
