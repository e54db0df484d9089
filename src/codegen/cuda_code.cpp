// CUDA C: one thread per state, structure of arrays. Inputs are read once, before anything else, so that all reads are
// in flight together.
#include <algorithm>

#include "codegen/c_family.hpp"
#include "codegen/cuda_family.hpp"
#include "codegen/cuda_pairs.hpp"
#include "codegen/cuda_sincos.hpp"
#include "codegen/cuda_stage.hpp"
#include "codegen/printers.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

std::string at(const Argument& array, int k, const CodeOptions& options) {
  const std::string j = std::to_string(k);
  if (options.in_rows) return array.name + "[k*" + std::to_string(array.size()) + " + " + j + "]";
  return array.name + "[" + (k == 0 ? "" : j + "*stride + ") + "k]";
}
std::string term_name(std::size_t k) { return "a" + std::to_string(k); }

// Angles far beyond one turn are rare: one branch for all of them, before any values occupy registers.
std::string terms_text(const std::vector<Dialect::Term>& terms, const CodeOptions& options) {
  const std::string real = real_type(options), abs = options.single_precision ? "fabsf(" : "fabs(";
  std::string declared, far, reduced, turned;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const std::string a = term_name(k);
    declared += "  " + real + " " + a + " = " + terms[k].text + ";\n";
    far += (k == 0 ? "" : " | ") + ("(" + abs + a) + ") > " + cuda_sincos_limit(options) + ")";
    reduced += "    " + a + " = " + options.name + "_far(" + a + ");\n";
    if (terms[k].summed) turned += "  " + a + " = " + options.name + "_turn(" + a + ");\n";
  }
  return declared + "  if (" + far + ") {\n" + reduced + "  }\n" + turned;
}

// "const double q_3 = q[3*stride + k];" for every entry that the body reads.
std::string reads(const Program& program, const Body& body, const CodeOptions& options) {
  std::string text;
  for_each_read(program, body, [&](const Argument& input, int k) {
    text += "  const " + real_type(options) + " " + read_name(input, k) + " = " + at(input, k, options) + ";\n";
  });
  return text;
}

}  // namespace

std::string read_name(const Argument& input, int k) { return input.name + "_" + std::to_string(k); }

Dialect cuda_dialect(const CodeOptions& options) {
  const std::string real = real_type(options), sincos = options.name + "_sincos";
  Dialect d = c_dialect(options, real);
  d.load = read_name;
  d.sine = [](int k) { return "s" + std::to_string(k); };
  d.cosine = [](int k) { return "c" + std::to_string(k); };
  d.decay = [exponential = options.single_precision ? "expf(-" : "exp(-"](const std::string& x) {
    return exponential + x + ")";
  };
  d.term = [](std::size_t k) { return term_name(k); };
  d.take_terms = [options](const std::vector<Dialect::Term>& terms) { return terms_text(terms, options); };
  d.turn = [real, sincos](const std::vector<std::string>& angles) {
    std::string text;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      text +=
          "  " + real + " s" + i + ", c" + i + ";\n  " + sincos + "(" + angles[k] + ", &s" + i + ", &c" + i + ");\n";
    }
    return text;
  };
  return d;
}

namespace {

std::string arrays_comment(const CodeOptions& options) {
  if (options.in_rows)
    return "One thread per state, k < count; the entries of a state are consecutive. The stride is not used.";
  const std::string columns = "structure of arrays, entry j of state k at [j*stride + k], k < count <= stride";
  if (options.together == 1) return "One thread per state; " + columns + ".";
  const std::string many = std::to_string(options.together);
  return "One thread for " + many + " states; " + columns + "; count, stride and where arrays begin are multiples of " +
         many + ".";
}

struct KernelText {
  std::string before, statements;  // functions that the kernel calls; its own statements
  bool turns = false;
};

// Where a state has many results, finding their places by 64-bit products takes more instructions than computing them.
// From one column to the next it is less than 2^32 bytes: otherwise so many columns would fill a terabyte.
bool has_many_columns(const Program& program, const CodeOptions& options) {
  return !options.in_rows && options.together == 1 && program.results().size() > 256;
}
constexpr const char* column_function = R"(
/* Number j of a state, columns being so many bytes apart. */
static __device__ __forceinline__ @real *@name_at(@real *state, const unsigned step, const unsigned j)
{
  return (@real *)((char *)state + (unsigned long long)step*j);
}
)";
std::string find_columns(const Program& program, const CodeOptions& options) {
  if (!has_many_columns(program, options)) return "";
  std::string text = "  const unsigned step = (unsigned)(stride*sizeof(" + real_type(options) + "));\n";
  for (const Program::Output& output : program.outputs) text += "  " + output.name + " += k;\n";
  return text;
}

// Where the kernel leaves a result, unless it is staged.
std::string place_of(const Program::Output& output, int k, bool many_columns, const CodeOptions& options) {
  if (options.together > 1) return entry(output.name, k);
  if (many_columns) return "*" + options.name + "_at(" + output.name + ", step, " + std::to_string(k) + "u)";
  return at(output, k, options);
}

KernelText text_of_kernel(const Program& program, const CudaStage& stage, const CodeOptions& options) {
  Dialect dialect = cuda_dialect(options);
  const bool many_columns = has_many_columns(program, options);
  dialect.store = [&](const Program::Output& output, int k, const std::string& text) {
    const std::string staged = stage.place(output, k);
    return "  " + (staged.empty() ? place_of(output, k, many_columns, options) : staged) + " = " + text + ";\n";
  };
  dialect.after_step = [&](std::size_t step) { return stage.after_step(step); };
  const Body body = write_body(program, dialect, stage.steps());
  const std::string unused = unused_arguments(program, body);
  KernelText text;
  text.turns = body.angles > 0;
  if (options.together > 1) {
    text.before = cuda_state_function(program, body, options);
    text.statements = cuda_together(program, body, options) + unused;
  } else if (stage.used()) {
    text.statements = stage.thread() + reads(program, body, options) + body.text + stage.write() + unused;
  } else {
    text.statements = cuda_thread + reads(program, body, options) + find_columns(program, options) + body.text + unused;
  }
  if (options.in_rows) text.statements += "  (void)stride;\n";
  return text;
}

}  // namespace

double kernel_cost(const Program& program, const CodeOptions& options) {
  const CudaStage stage(program, options);
  return double(program.cost().instructions()) +
         2.0 * double(traffic(program, stage.steps(), cuda_values(options)).moves);
}

Code print_cuda(const std::vector<Program>& programs, const CodeOptions& options) {
  std::vector<std::string> comment = file_comment(programs, options);
  comment.push_back(arrays_comment(options));
  std::string kernels;
  bool turns = false;
  std::string staging, columns;  // functions that kernels call
  Code code;
  for (const Program& program : programs) {
    const CudaStage stage(program, options);
    const KernelText text = text_of_kernel(program, stage, options);
    code.shared_numbers = std::max(code.shared_numbers, stage.numbers());
    turns |= text.turns;
    if (staging.empty()) staging = stage.functions();
    if (columns.empty() && has_many_columns(program, options))
      columns = substitute(column_function, {{"@real", real_type(options)}, {"@name", options.name}});
    kernels += text.before + "\n" + c_comment(function_comment(program, options)) + "extern \"C\" __global__ void " +
               function_name(program, options) + "(unsigned long long count, unsigned long long stride, " +
               c_parameters(program, real_type(options), "__restrict__") + ")\n{\n" + text.statements + "}\n";
  }
  if (code.shared_numbers > 0)
    comment.push_back("Launched with " + std::to_string(code.shared_numbers) + " " + real_type(options) +
                      " of dynamic shared memory for every thread, in blocks of whole warps.");
  code.source =
      c_comment(comment) + (turns ? "\n" + cuda_sincos_text(options.name, options) : "") + staging + columns + kernels;
  return code;
}

}  // namespace catena
