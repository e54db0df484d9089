#include "pages/linear.hpp"

#include "catena/control.hpp"
#include "pages/result_table.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

namespace {

report::Json by_parts(const Json& pairs) {
  report::Json out = report::Json::array();
  for (const Json& pole : pairs) out.push_back({{"re", pole[0]}, {"im", pole[1]}});
  return out;
}

}  // namespace

report::Json LinearReport::matrices(const std::vector<std::vector<double>>& in, std::vector<std::string>& notes) const {
  const std::size_t n = index(mechanism.nv());
  Call<double> linearize(mechanism, job.name, formulation);
  std::vector<double> out(linearize.size());
  linearize({.q = in[0], .qd = in[1], .qdd = in[2], .base = base, .wrenches = wrenches}, out);
  report::Json matrix = {{"q", in[0]}, {"qd", in[1]}, {"qdd", in[2]}};
  const std::span<const double> all(out);
  std::size_t at_entry = 0;
  for (const OutputInfo& output : job.outputs) {
    matrix[std::string(output.name)] = rows_of(all.subspan(at_entry, n * n), n);
    at_entry += n * n;
  }
  if (!state_space.is_null()) {
    for (const auto& [name, value] : state_space.items())
      matrix[name] = name == "poles" || name == "closed_loop_poles" ? by_parts(value) : report::Json(value);
    return matrix;
  }
  try {
    const StateSpace model = Linearization(mechanism).along(in[0], in[1], in[2], wrenches);
    matrix["A"] = rows_of(model.A, model.states());
    matrix["B"] = rows_of(model.B, model.inputs());
    matrix["poles"] = report::Json::array();
    for (const std::complex<double>& pole : poles(model))
      matrix["poles"].push_back({{"re", pole.real()}, {"im", pole.imag()}});
  } catch (const std::exception& error) {  // a base that is not fixed, a singular robot
    notes.push_back(std::string("No state space: ") + error.what());
  }
  return matrix;
}

report::Scene LinearReport::scene() const {
  report::Scene scene = scene_of(options, robot, "linearize");
  scene.base = base;
  std::vector<std::vector<double>> state = at;
  if (!path.empty()) {
    report::Recording recording = recording_of(read_result(path, robot), robot, degrees, rate);
    if (recording.count() == 0 || !recording.has("q")) throw InputError(path + ": has no positions to draw");
    for (const char* group : {"q", "qd", "qdd"}) {
      state.push_back(recording.numbers(group, 0));
      if (state.back().empty()) state.back().assign(index(mechanism.nv()), 0.0);
    }
    recording.complete(mechanism, wrenches, false, true, base);
    scene.recordings.push_back(std::move(recording));
    scene.notes.emplace_back("The matrices are those of the first sample.");
  }
  scene.q = state.front();
  scene.matrix = matrices(state, scene.notes);
  scene.wrenches = report::wrenches_json(wrenches, mechanism);
  return scene;
}

}  // namespace catena::cli
