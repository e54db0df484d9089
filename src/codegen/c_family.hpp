// What C, C for batches and CUDA write in the same way.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

std::string real_type(const CodeOptions& options);
// "name[k]"
std::string entry(const std::string& name, int k);
// Lines with any content as one comment.
std::string c_comment(const std::vector<std::string>& lines);

// The dialect whose values have type `type` ("double", "arm_lanes"). The caller defines how inputs are read, outputs
// written and sines and cosines computed.
Dialect c_dialect(const CodeOptions& options, const std::string& type);

// Of pointers: restrict, which MISRA C does not allow.
std::string pointer_qualifier(const CodeOptions& options);

// The function that c_dialect calls for e^-x, without any library; empty where no program needs it.
std::string decay_text(const std::vector<Program>& programs, const CodeOptions& options);

// "const double *q, const double *qd, double *tau", with a qualifier after each star where given.
std::string c_parameters(const Program& program, const std::string& type, const std::string& qualifier);

// The parts of a long body as separate functions, and the statements that call them; empty for a short body.
// `before`: an additional first argument, with its type ("size_t stride"), or none.
struct PartsText {
  std::string functions, declaration, calls;
};
PartsText parts_text(const Program& program, const Body& body, const CodeOptions& options, const std::string& type,
                     const std::string& before);

// "(void)qd;" for the arguments that the body does not read.
std::string unused_arguments(const Program& program, const Body& body);

// The same as stack_bound(), for a body that is already measured.
long stack_bytes(const Body& body, const CodeOptions& options);

// Include guard, extern "C", the number of joints, and these prototypes with their comments.
std::string c_header(const std::vector<Program>& programs, const CodeOptions& options,
                     const std::vector<std::string>& prototypes, const std::string& includes);

}  // namespace catena
