// What C, C over batches and CUDA spell alike.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

std::string real_type(const CodeOptions& options);
// "name[k]"
std::string entry(const std::string& name, int k);
// Lines of any content as one comment.
std::string c_comment(const std::vector<std::string>& lines);

// The dialect whose values have type `type` ("double", "arm_lanes"). How inputs are read, outputs written and angles
// turned is left open.
Dialect c_dialect(const CodeOptions& options, const std::string& type);

// "const double *q, const double *qd, double *tau", with a qualifier after each star where given.
std::string c_parameters(const Program& program, const std::string& type, const std::string& qualifier);

// The parts of a long body as functions of their own, and the statements that call them; nothing of a short one.
// `before`: an argument of them all, with its type ("size_t stride"), or none.
struct PartsText {
  std::string functions, declaration, calls;
};
PartsText parts_text(const Program& program, const Body& body, const CodeOptions& options, const std::string& type,
                     const std::string& before);

// "(void)qd;" for the arguments that the body does not read.
std::string unused_arguments(const Program& program, const Body& body);

// What stack_bound() states, of a body that is measured already.
long stack_bytes(const Body& body, const CodeOptions& options);

// Include guard, extern "C", the number of joints, and these prototypes with their comments.
std::string c_header(const std::vector<Program>& programs, const CodeOptions& options,
                     const std::vector<std::string>& prototypes, const std::string& includes);

}  // namespace catena
