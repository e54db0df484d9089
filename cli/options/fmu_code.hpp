// `generate --lang fmu`: a Functional Mock-up Unit.
#pragma once

#include <string>

#include "options/app.hpp"
#include "options/law_code.hpp"
#include "options/model_options.hpp"

namespace catena::cli {

struct FmuCodeOptions {
  std::string kind;
  int version = 3;

  void add(CLI::App& command);
  // Whether an FMU is asked for. Throws UsageError for its options without it.
  bool given(const std::string& language, const CLI::App& command) const;

  // What other options of the command say.
  struct Others {
    const ModelOptions& model;
    const LawCodeOptions& law;
    const std::string &name, &frame, &output;
    long limit;
    bool search, force, json;
  };
  void write(const Others& others, const CLI::App& command) const;
};

}  // namespace catena::cli
