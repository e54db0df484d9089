#include "engines/c/compile_batch.hpp"

#include <algorithm>
#include <concepts>

#include "catena/code.hpp"
#include "engines/c/compiled_code.hpp"
#include "engines/self_test.hpp"

namespace catena {
namespace {

// Size in bytes of the machine's vectors.
int vector_bytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

template <class S>
CodeOptions batch_options() {
  CodeOptions options;
  options.name = "robot";
  options.version = CATENA_VERSION;
  options.language = Language::c_batch;
  options.single_precision = std::same_as<S, float>;
  options.lanes = vector_bytes() / int(sizeof(S));
  return options;
}

// The text `each`, repeated for every argument, with its name for @a, its number for @k and its size for @n.
std::string for_all(const auto& arguments, const std::string& each) {
  std::string text;
  int k = 0;
  for (const Argument& a : arguments) {
    std::string own = each;
    const auto put = [&own](const std::string& key, const std::string& value) {
      for (std::size_t at = own.find(key); at != std::string::npos; at = own.find(key)) own.replace(at, 2, value);
    };
    put("@a", a.name);
    put("@k", std::to_string(k++));
    put("@n", std::to_string(a.size()));
    text += own;
  }
  return text;
}

// Whether a NaN in an input may fail to reach the results: a sign, a quotient or a decay may lose it, an entry may not
// be read.
bool loses_inputs(const Program& program) {
  const std::vector<std::uint32_t> live = program.graph.live(program.needed());
  return std::any_of(live.begin(), live.end(), [&](std::uint32_t node) {
    const Operation operation = program.graph[node].operation;
    return operation == Operation::sign || operation == Operation::reciprocal || operation == Operation::decay;
  });
}
// By input, its entries that the program reads.
std::vector<std::vector<int>> entries_read(const Program& program) {
  std::vector<bool> read(std::size_t(program.graph.inputs()));
  for (const std::uint32_t node : program.graph.live(program.needed()))
    if (program.graph[node].operation == Operation::input) read[program.graph[node].a] = true;
  std::vector<std::vector<int>> all;
  std::size_t entry = 0;
  for (const Argument& input : program.inputs) {
    all.emplace_back();
    for (int j = 0; j < input.size(); ++j, ++entry)
      if (read[entry]) all.back().push_back(j);
  }
  return all;
}
// Constants of a robot that no result depends on are of no interest; numbers of a state always are.
bool is_of_robot(const Argument& input) { return input.name == info_of(Input::constants).name; }

// Adds 0 times the entries of the inputs that could be lost.
std::string input_zeros(const Program& program) {
  const std::vector<std::vector<int>> read = entries_read(program);
  std::string text;
  for (std::size_t k = 0; k < read.size(); ++k)
    for (int j = 0; j < program.inputs[k].size(); ++j)
      if (std::binary_search(read[k].begin(), read[k].end(), j) ? loses_inputs(program)
                                                                : !is_of_robot(program.inputs[k]))
        text += "  robot_zeros(count, stride, 1, " + program.inputs[k].name + " + " + std::to_string(j) +
                "*stride, &zeros);\n";
  return text;
}

// A block of states with any strides. Contiguous states are computed in place; otherwise `tile` of them at a time are
// first copied to contiguous memory. Unused lanes at the end repeat a state.
static_assert(sizeof(StateArray<double>) == 3 * sizeof(void*), "robot_source and robot_target are StateArray");
// Where the constants of robots are an input.
constexpr const char* some_text = R"(/* Only some of the entries. */
static inline void robot_gather_some(size_t count, size_t some, const unsigned short *which, const robot_source *from, @real *to)
{
  const ptrdiff_t by_state = from->by_state, by_entry = from->by_entry;
  size_t j, l;
  for (j = 0; j < some; ++j) {
    const @real *data = from->data + (ptrdiff_t)which[j]*by_entry;
    @real *own = to + which[j]*@tile;
    if (count == @tile && by_state == 1) {
      for (l = 0; l < @tile; ++l) own[l] = data[l];
    } else {
      for (l = 0; l < @tile; ++l) own[l] = data[(ptrdiff_t)(l < count ? l : count - 1)*by_state];
    }
  }
}

)";

constexpr const char* call_text = R"(
typedef struct { const @real *data; ptrdiff_t by_state, by_entry; } robot_source;
typedef struct { @real *data; ptrdiff_t by_state, by_entry; } robot_target;

/* Adds 0 times all entries of an array: what is not finite shows. */
static void robot_zeros(size_t count, size_t stride, size_t entries, const @real *a, robot_lanes *sum)
{
  size_t i, j;
  for (j = 0; j < entries; ++j) {
    robot_lanes x = {0}, y = {0};
    for (i = 0; i + 2*@lanes <= count; i += 2*@lanes) {
      x += 0*robot_in(a + i, j);
      y += 0*robot_in(a + i + @lanes, j);
    }
    if (i < count) x += 0*robot_in(a + i, j);
    *sum += x + y;
  }
}

static int robot_whole(size_t count, size_t stride, @parameters)
{
  robot_lanes turns, zeros;
  size_t i;
  int l, careful = 0, bad = 0;
  do {
    turns = (robot_lanes){0};
    for (i = 0; i < count; i += @lanes) @function(stride, careful, &turns@moved);
    careful = !careful && robot_far(&turns);
  } while (careful);
  zeros = (robot_lanes){0};
@checked  for (l = 0; l < @lanes; ++l) bad |= !(zeros[l] == 0);
  return bad;
}

static inline void robot_gather(size_t count, size_t entries, const robot_source *from, @real *to)
{
  const ptrdiff_t by_state = from->by_state, by_entry = from->by_entry;
  const @real *data = from->data;
  size_t j, l;
  if (count < @tile) {
    for (j = 0; j < entries; ++j)
      for (l = 0; l < @tile; ++l) to[j*@tile + l] = data[(ptrdiff_t)(l < count ? l : count - 1)*by_state + (ptrdiff_t)j*by_entry];
  } else if (by_entry == 1) {
    for (j = 0; j < entries; ++j)
      for (l = 0; l < @tile; ++l) to[j*@tile + l] = data[(ptrdiff_t)l*by_state + (ptrdiff_t)j];
  } else {
    for (j = 0; j < entries; ++j)
      for (l = 0; l < @tile; ++l) to[j*@tile + l] = data[(ptrdiff_t)l*by_state + (ptrdiff_t)j*by_entry];
  }
}

@lists
static inline void robot_scatter(size_t count, size_t entries, const @real *from, const robot_target *to)
{
  const ptrdiff_t by_state = to->by_state, by_entry = to->by_entry;
  @real *data = to->data;
  size_t j, l;
  for (l = 0; l < count; ++l)
    for (j = 0; j < entries; ++j) data[(ptrdiff_t)l*by_state + (ptrdiff_t)j*by_entry] = from[j*@tile + l];
}

int robot_call(size_t count, const robot_source *in, const robot_target *out)
{
  int bad = 0, in_place = 1;
  size_t k = 0;
  const ptrdiff_t stride = in[0].by_entry;
  robot_source from;
  robot_target to;
@asked  if (in_place) {
    k = count/@lanes*@lanes;
    if (k) bad |= robot_whole(k, (size_t)stride@direct);
  }
  for (; k < count; k += @tile) {
    const size_t left = count - k < @tile ? count - k : @tile;
@declared@gathered    bad |= robot_whole((left + @lanes - 1)/@lanes*@lanes, @tile@held);
@scattered  }
  return bad;
}

)";

// Those that are gathered.
std::string lists_of_constants(const Program& program) {
  if (program.inputs.empty() || !is_of_robot(program.inputs.back())) return "";
  const std::vector<int> read = entries_read(program).back();
  std::string text;
  for (const int j : read) text += (text.empty() ? "" : ", ") + std::to_string(j);
  return some_text + ("static const unsigned short robot_read[] = {" + (text.empty() ? "0" : text) + "};\n");
}

template <class S>
std::string batch_source(const Program& program) {
  const CodeOptions options = batch_options<S>();
  const std::string real = options.single_precision ? "float" : "double";
  const int tile = std::max(32, options.lanes);
  std::string text = call_text;
  const auto put = [&text](const std::string& key, const std::string& value) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
      text.replace(at, key.size(), value);
  };
  const auto both = [&](const std::string& in, const std::string& out) {
    return for_all(program.inputs, in) + for_all(program.outputs, out);
  };
  put("@parameters", both("const " + real + " *restrict @a, ", real + " *restrict @a, ") + "int unused");
  put("@moved", both(", @a + i", ", @a + i"));
  put("@checked", input_zeros(program) + for_all(program.outputs, "  robot_zeros(count, stride, @n, @a, &zeros);\n"));
  put("@asked", both("  in_place &= in[@k].by_state == 1 && in[@k].by_entry == stride;\n",
                     "  in_place &= out[@k].by_state == 1 && out[@k].by_entry == stride;\n"));
  put("@direct", both(", in[@k].data", ", out[@k].data") + ", 0");
  put("@declared", both("    " + real + " @a[@n*@tile] __attribute__((aligned(64)));\n",
                        "    " + real + " @a[@n*@tile] __attribute__((aligned(64)));\n"));
  put("@lists", lists_of_constants(program));
  const std::string moved = "    from = in[@k];\n    from.data += (ptrdiff_t)k*from.by_state;\n";
  std::vector<Argument> usual = program.inputs;
  const bool varied = !usual.empty() && is_of_robot(usual.back());
  if (varied) usual.pop_back();
  put("@gathered",
      for_all(usual, moved + "    robot_gather(left, @n, &from, @a);\n") +
          (varied ? "    from = in[" + std::to_string(usual.size()) +
                        "];\n    from.data += (ptrdiff_t)k*from.by_state;\n"
                        "    robot_gather_some(left, sizeof(robot_read)/sizeof(robot_read[0]), robot_read, "
                        "&from, constants);\n"
                  : ""));
  put("@held", both(", @a", ", @a") + ", 0");
  put("@scattered", for_all(program.outputs,
                            "    to = out[@k];\n    to.data += (ptrdiff_t)k*to.by_state;\n"
                            "    robot_scatter(left, @n, @a, &to);\n"));
  put("@function", function_name(program, options) + "_lanes");
  put("@real", real);
  put("@lanes", std::to_string(options.lanes));
  put("@tile", std::to_string(tile));
  return print_code({program}, options).source + text;
}

// With a number of states such that some are computed in place and some are not.
template <class S>
std::string test_batch(const Program& program, void* function) {
  const std::size_t count = std::size_t(batch_options<S>().lanes) + 3;
  const engines::StateRows states = engines::test_states<S>(program, count);
  std::vector<std::vector<S>> values, results;
  std::vector<StateArray<const S>> in;
  std::vector<StateArray<S>> out;
  for (const Argument& output : program.outputs) results.emplace_back(index(output.size()) * count, S(-7));
  std::size_t first = 0;  // index of the input in the row of a state
  for (const Argument& input : program.inputs) {
    std::vector<S>& array = values.emplace_back();
    for (std::size_t j = 0; j < index(input.size()); ++j)
      for (const std::vector<double>& state : states) array.push_back(S(state[first + j]));
    first += index(input.size());
  }
  for (const auto& array : values) in.push_back(states_in_columns<const S>(array.data(), count));
  for (auto& array : results) out.push_back(states_in_columns(array.data(), count));
  reinterpret_cast<decltype(CompiledBatch<S>::function)>(function)(count, in.data(), out.data());
  engines::StateRows actual(count);
  for (std::size_t k = 0; k < count; ++k)
    for (const std::vector<S>& array : results)
      for (std::size_t entry = k; entry < array.size(); entry += count) actual[k].push_back(double(array[entry]));
  return engines::disagreement<S>(program, states, actual);
}

}  // namespace

template <class S>
CompiledBatch<S> compile_batch(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = jit::required_job(robot, job, options);
  if (sizes_of(robot).velocities == 0) throw CompileError("a robot without moving joints");
  jit::CodeKind kind{batch_source<S>, {}, test_batch<S>};
  if (vector_bytes() == 64) kind.flags.emplace_back("-mprefer-vector-width=512");
  const jit::CompiledCode code = jit::compile_code(robot, info, options, kind);
  return {reinterpret_cast<decltype(CompiledBatch<S>::function)>(code.function), code.library, code.formulation,
          batch_options<S>().lanes, code.report};
}

template CompiledBatch<double> compile_batch(const Mechanism&, std::string_view, const CompileOptions&);
template CompiledBatch<float> compile_batch(const Mechanism&, std::string_view, const CompileOptions&);

}  // namespace catena
