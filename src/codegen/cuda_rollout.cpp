#include "catena/code.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "codegen/c_family.hpp"
#include "codegen/cuda_family.hpp"
#include "codegen/cuda_sincos.hpp"
#include "codegen/printers.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

// A job as a function of arrays that stay in registers: all indices are constants.
std::string device_function(const Program& program, const CodeOptions& options) {
  const std::string real = real_type(options);
  Dialect dialect = cuda_dialect(options);
  dialect.store = [](const Program::Output& output, int k, const std::string& text) {
    return "  " + entry(output.name, k) + " = " + text + ";\n";
  };
  const Body body = write_body(program, dialect);
  std::string reads;
  for_each_read(program, body, [&](const Argument& input, int k) {
    reads += "  const " + real + " " + read_name(input, k) + " = " + entry(input.name, k) + ";\n";
  });
  return "\nstatic __device__ __forceinline__ void " + function_name(program, options) + "(" +
         c_parameters(program, real, "") + ")\n{\n" + reads + body.text + unused_arguments(program, body) + "}\n";
}

// The text once per joint, with the joint's number in place of @j.
std::string for_joints(int joints, const std::string& each) {
  std::string text;
  for (int j = 0; j < joints; ++j) text += substitute(each, {{"@j", std::to_string(j)}});
  return text;
}

// Statements that compute tau from the target, x and v.
std::string law_text(RolloutLaw law, int joints, const std::string& inverse) {
  switch (law) {
    case RolloutLaw::constant:
      return "";
    case RolloutLaw::table:
      return for_joints(joints, "    tau[@j] = target[i*" + std::to_string(joints) + " + @j];\n");
    case RolloutLaw::pd:
      return for_joints(joints, "    tau[@j] = kp_@j*(goal[@j] - x[@j]) - kd_@j*v[@j];\n");
    case RolloutLaw::computed_torque:
      return for_joints(joints, "    a[@j] = kp_@j*(goal[@j] - x[@j]) - kd_@j*v[@j];\n") + "    " + inverse +
             "(x, v, a, tau);\n";
  }
  return "";
}

constexpr const char* euler_text = R"(@law    @forward(x, v, tau, a);
@joints{    v[@j] += h*a[@j];
    x[@j] += h*v[@j];
})";
// Stage s is evaluated at x, v; x0, v0 are the state at the start, xs, vs the weighted sums of its rates.
constexpr const char* rk4_text = R"(@joints{    x0[@j] = x[@j];
    v0[@j] = v[@j];
    xs[@j] = 0;
    vs[@j] = 0;
}#pragma unroll 1
    for (s = 0; s < 4; ++s) {
    const @real weight = (s == 1 || s == 2) ? 2*sixth : sixth, ahead = s == 2 ? h : half;
@law    @forward(x, v, tau, a);
@joints{    xs[@j] += weight*v[@j];
    vs[@j] += weight*a[@j];
    x[@j] = x0[@j] + ahead*v[@j];
    v[@j] = v0[@j] + ahead*a[@j];
}    }
@joints{    x[@j] = x0[@j] + xs[@j];
    v[@j] = v0[@j] + vs[@j];
})";

// "@joints{ … }", repeated for every joint.
std::string with_joints(std::string text, int joints) {
  const std::string mark = "@joints{";
  for (std::size_t at; (at = text.find(mark)) != std::string::npos;) {
    const std::size_t end = text.find("\n}", at) + 1;
    const std::string each = text.substr(at + mark.size(), end - at - mark.size());
    text.replace(at, end + 1 - at, for_joints(joints, each));
  }
  return text;
}

constexpr const char* kernel_text = R"(
/* q and qd of state k, entry j at [j*stride + k], after so many steps of length h. */
extern "C" __global__ void @rollout(unsigned long long count, unsigned long long stride, unsigned long long steps, const @real *target, @real *q, @real *qd, @real h@gains)
{
  const @real half = @zero5*h, sixth = h/6;
  @real x[@n], v[@n], a[@n], tau[@n], goal[@n], x0[@n], v0[@n], xs[@n], vs[@n];
  unsigned long long i;
  int s;
@thread@joints{  x[@j] = q[@j*stride + k];
  v[@j] = qd[@j*stride + k];
@target}#pragma unroll 1
  for (i = 0; i < steps; ++i) {
@step  }
@joints{  q[@j*stride + k] = x[@j];
  qd[@j*stride + k] = v[@j];
}  (void)half; (void)sixth; (void)goal; (void)x0; (void)v0; (void)xs; (void)vs; (void)s; (void)target;
}
)";

void require_programs(const Program& forward, const std::optional<Program>& inverse, RolloutLaw law) {
  const auto told = [](const Argument& input) { return input.name == info_of(Input::base_motion).name; };
  if (std::any_of(forward.inputs.begin(), forward.inputs.end(), told))
    throw std::invalid_argument("a rollout does not support a moving base");
  if (forward.jobs != std::vector<std::string>{"forward"} || forward.inputs.size() != 3)
    throw std::invalid_argument("a rollout needs a program of forward dynamics only");
  if (rollout_law_info(law).needs_inverse &&
      (!inverse || inverse->jobs != std::vector<std::string>{"inverse"} || inverse->inputs.size() != 3))
    throw std::invalid_argument("computed torque needs a program of inverse dynamics only");
  if (forward.inputs[0].size() != forward.inputs[1].size())
    throw std::invalid_argument("a rollout does not support a free base");
}

}  // namespace

std::span<const RolloutLawInfo> rollout_laws() {
  static constexpr std::array<RolloutLawInfo, 4> all{{
      {RolloutLaw::constant, "constant", "the same torque in all steps, for every arm its own"},
      {RolloutLaw::pd, "pd", "kp (target - q) - kd qd", true},
      {RolloutLaw::computed_torque, "computed-torque", "inverse dynamics of kp (target - q) - kd qd", true, true},
      {RolloutLaw::table, "table", "a torque for every step, the same for all arms"},
  }};
  return all;
}

const RolloutLawInfo& rollout_law_info(RolloutLaw law) {
  const auto all = rollout_laws();
  return *std::find_if(all.begin(), all.end(), [&](const RolloutLawInfo& info) { return info.law == law; });
}

std::string print_cuda_rollout(const Program& forward, const std::optional<Program>& inverse, RolloutLaw law,
                               RolloutScheme scheme, const CodeOptions& options) {
  require_programs(forward, inverse, law);
  const int n = forward.joints;
  const std::string real = real_type(options);
  const RolloutLawInfo& info = rollout_law_info(law);
  std::string text = c_comment(file_comment({forward}, options)) + "\n" + cuda_sincos_text(options.name, options) +
                     device_function(forward, options);
  if (info.needs_inverse) text += device_function(*inverse, options);
  const std::string of_arm = law == RolloutLaw::constant ? "  tau[@j] = target[@j*stride + k];\n"
                             : info.has_gains            ? "  goal[@j] = target[@j*stride + k];\n"
                                                         : "";
  const std::string gains =
      !info.has_gains ? "" : for_joints(n, ", " + real + " kp_@j") + for_joints(n, ", " + real + " kd_@j");
  std::string kernel =
      substitute(kernel_text, {{"@step", scheme == RolloutScheme::rk4 ? rk4_text : euler_text}, {"@target", of_arm}});
  kernel = substitute(with_joints(kernel, n),
                      {{"@law", law_text(law, n, info.needs_inverse ? function_name(*inverse, options) : "")},
                       {"@forward", function_name(forward, options)},
                       {"@rollout", options.name + "_rollout"},
                       {"@thread", cuda_thread},
                       {"@gains", gains},
                       {"@real", real},
                       {"@zero5", options.single_precision ? "0.5f" : "0.5"},
                       {"@n", std::to_string(n)}});
  return text + kernel;
}

}  // namespace catena
