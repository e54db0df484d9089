// Parameters from logs: fits, what they predict, loads, gains.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "evaluate.hpp"

namespace catena::python {
namespace {

Measurements measured(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle qdd, nb::handle tau, double period,
                      nb::handle used, const std::vector<std::size_t>& stretches) {
  (void)core;
  Measurements data{
      numbers(q, "q"), numbers(qd, "qd"), numbers(qdd, "qdd"), numbers(tau, "tau"), period, stretches, {}};
  if (!used.is_none())
    for (const double value : numbers(used, "used")) data.used.push_back(value != 0.0 ? 1 : 0);
  return data;
}

nb::list list_of(const std::vector<Estimate>& estimates, const std::vector<std::string>& names) {
  nb::list out;
  for (const Estimate& own : estimates) {
    nb::list terms;
    for (const auto& [parameter, factor] : own.parameter.terms)
      terms.append(nb::make_tuple(names[index(parameter)], factor));
    out.append(nb::make_tuple(own.parameter.text, own.parameter.unit, own.value, own.standard_error, own.lower,
                              own.upper, own.parameter.nominal, terms));
  }
  return out;
}
nb::dict score_of(const FitScore& score) {
  nb::dict out;
  out["rms"] = to_array(score.rms);
  out["explained"] = to_array(score.explained);
  return out;
}
nb::list doubts_of(const std::vector<FitDoubt>& doubts) {
  nb::list out;
  for (const FitDoubt& doubt : doubts) out.append(nb::make_tuple(doubt.kind, doubt.text));
  return out;
}

IdentificationOptions options_of(const nb::dict& given) {
  IdentificationOptions set;
  set.drives = nb::cast<bool>(given["drives"]);
  set.offsets = nb::cast<bool>(given["offsets"]);
  set.subset = nb::cast<bool>(given["subset"]);
  set.weights_from_residuals = nb::cast<bool>(given["reweight"]);
  set.cutoff = nb::cast<double>(given["cutoff"]);
  set.decimate = nb::cast<std::size_t>(given["decimate"]);
  set.folds = nb::cast<int>(given["folds"]);
  if (!given["weights"].is_none()) set.weights = numbers(given["weights"], "weights");
  for (const auto& joint : nb::cast<std::vector<int>>(given["only"])) set.only.push_back(joint);
  for (const auto& name : nb::cast<std::vector<std::string>>(given["friction"])) {
    const std::optional<JointFriction> kind = friction_named(name);
    if (!kind) throw std::invalid_argument("there is no friction '" + name + "'");
    set.friction.push_back(*kind);
  }
  return set;
}

// A fit to one log.
struct Fitted {
  Mechanism robot;
  Identification found;
  std::optional<PhysicalFit> fit;
  std::optional<Validation> held_out;
};

PhysicalOptions physical_of(const Mechanism& robot, const nb::dict& given) {
  PhysicalOptions set{.prior = nb::cast<double>(given["prior"])};
  if (!given["prior_model"].is_none()) {
    set.prior_parameters = standard_parameters(nb::cast<const RobotCore&>(given["prior_model"]).loaded->mechanism);
    if (set.prior_parameters.size() != standard_parameters(robot).size())
      throw std::invalid_argument("prior_model has other joints than robot '" + robot.name + "'");
  }
  if (given["mass_bounds"].is_none() && given["centre_within"].is_none()) return set;
  const std::vector<double> theta = set.prior_parameters.empty() ? standard_parameters(robot) : set.prior_parameters;
  for (std::size_t j = 0; j < theta.size() / parameters_per_joint; ++j) {
    BodyBounds& own = set.bounds.emplace_back();
    const double mass = theta[j * parameters_per_joint];
    if (!(mass > 0.0)) continue;
    if (!given["mass_bounds"].is_none()) {
      const std::vector<double> shares = numbers(given["mass_bounds"], "mass_bounds", 2);
      if (!(shares[0] >= 0.0 && shares[0] < shares[1]))
        throw std::invalid_argument("mass_bounds is (least, most), least from 0 on and below most");
      own.least_mass = shares[0] * mass, own.most_mass = shares[1] * mass;
    }
    if (!given["centre_within"].is_none()) own.centre_within = nb::cast<double>(given["centre_within"]);
  }
  return set;
}

// With options.folds also what is left of each fold by a fit to the others.
Fitted fitted(const RobotCore& core, const Measurements& data, const nb::dict& options, bool physical) {
  Fitted out{core.loaded->mechanism, {}, {}, {}};
  const PhysicalOptions set = physical_of(out.robot, options);
  const IdentificationOptions chosen = options_of(options);
  const bool folds = nb::cast<int>(options["folds"]) > 0;
  const nb::gil_scoped_release others_run;
  out.found = identify(out.robot, data, chosen);
  if (physical) out.fit = fit_physical(out.robot, out.found, set);
  if (folds) out.held_out = cross_validate(out.robot, out.found, physical ? &set : nullptr);
  return out;
}

// Base parameters after each row: their names, and (rows, p).
nb::tuple online(const RobotCore& core, const Measurements& data, const nb::dict& options, double forgetting) {
  const Mechanism& robot = core.loaded->mechanism;
  const std::size_t n = index(robot.nv()), rows = data.q.size() / n;
  const IdentificationOptions set = options_of(options);
  RecursiveIdentification recursive(robot, set.drives, forgetting, set.weights);
  nb::list names;
  for (const BaseParameter& own : recursive.parameters()) names.append(own.text);
  const std::size_t p = recursive.parameters().size();
  const NewArray out = new_array({rows, p});
  for (std::size_t k = 0; k < rows; ++k) {
    const auto at = [&](const auto& v) { return std::span(v).subspan(k * n, n); };
    recursive.add(at(data.q), at(data.qd), at(data.qdd), at(data.tau),
                  data.used.empty() ? std::span<const std::uint8_t>() : at(data.used));
    std::copy(recursive.values().begin(), recursive.values().end(), out.values.begin() + std::ptrdiff_t(k * p));
  }
  return nb::make_tuple(names, out.object);
}

nb::dict result_of(const Fitted& own) {
  const Identification& found = own.found;
  const std::size_t p = found.estimates.size();
  const NewArray covariance = new_array({p, p});
  std::copy(found.covariance.begin(), found.covariance.end(), covariance.values.begin());
  nb::list held, friction;
  for (const HeldParameter& one : found.held) held.append(nb::make_tuple(one.parameter.text, one.value));
  for (const FrictionCurve& one : found.friction) {
    nb::dict curve;
    curve["kind"] = std::string(name_of(one.kind));
    curve["viscous"] = one.viscous, curve["coulomb"] = one.coulomb;
    curve["viscous_back"] = one.viscous_back, curve["coulomb_back"] = one.coulomb_back;
    curve["excess"] = one.excess, curve["width"] = one.width, curve["offset"] = one.offset;
    friction.append(curve);
  }
  nb::dict out;
  out["estimates"] = list_of(found.estimates, parameter_names(parameter_joints(own.robot)));
  out["covariance"] = covariance.object;
  out["weights"] = to_array(found.weights);
  out["condition"] = found.condition;
  out["samples"] = found.samples;
  out["block"] = found.block;
  out["held"] = held;
  out["friction"] = friction;
  out["doubts"] = doubts_of(found.doubts);
  out["least_squares"] = score_of({found.residuals, found.explained});
  out["nominal"] = score_of(found.nominal);
  if (own.held_out) out["held_out"] = score_of(own.fit ? own.held_out->physical : own.held_out->least_squares);
  if (!own.fit) return out;
  out["parameters"] = to_array(own.fit->parameters);
  out["physical"] = score_of({own.fit->residuals, own.fit->explained});
  out["written"] = score_of(own.fit->written);
  return out;
}

nb::dict payload(const RobotCore& core, const Measurements& data, const std::string& frame, const nb::dict& options,
                 std::optional<double> mass, double least, double most) {
  const Mechanism& robot = core.loaded->mechanism;
  const int at = frame.empty() ? robot.tool : robot.frame_index(frame);
  if (at < 0) throw std::invalid_argument("there is no frame '" + frame + "'");
  PayloadOptions set{options_of(options), mass, {.least_mass = least, .most_mass = most}};
  const PayloadFit fit = [&] {
    const nb::gil_scoped_release others_run;
    return identify_payload(robot, data, at, set);
  }();
  const Sym3<double>& I = fit.body.inertia;
  const double com[] = {fit.body.com.x, fit.body.com.y, fit.body.com.z};
  const double inertia[] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  nb::dict out;
  out["mass"] = fit.body.mass;
  out["com"] = to_array(com);
  out["inertia"] = to_array(inertia);
  out["estimates"] = list_of({fit.mass, fit.centre[0], fit.centre[1], fit.centre[2]}, {});
  out["doubts"] = doubts_of(fit.doubts);
  return out;
}

}  // namespace

void bind_identify(nb::module_& module) {
  nb::class_<Measurements>(module, "MeasurementsCore");
  module.def("measurements", &measured, nb::arg("robot"), nb::arg("q"), nb::arg("qd"), nb::arg("qdd"), nb::arg("tau"),
             nb::arg("period"), nb::arg("used").none(), nb::arg("stretches"));
  nb::class_<Fitted>(module, "FittedCore")
      .def("_result", &result_of)
      .def("_predict",
           [](const Fitted& own, nb::handle q, nb::handle qd, nb::handle qdd) {
             return to_array(predict(own.robot, own.found, own.fit ? &*own.fit : nullptr, numbers(q, "q"),
                                     numbers(qd, "qd"), numbers(qdd, "qdd")));
           })
      .def("_validate", [](const Fitted& own, const Measurements& other) {
        const Validation found = validate(own.robot, own.found, own.fit ? &*own.fit : nullptr, other);
        return score_of(own.fit ? found.physical : found.least_squares);
      });
  module.def("identify", &fitted);
  module.def("online", &online);
  module.def("identify_payload", &payload, nb::arg("robot"), nb::arg("data"), nb::arg("frame"), nb::arg("options"),
             nb::arg("mass").none(), nb::arg("least"), nb::arg("most"));
  module.def("parameters", [](const RobotCore& core) {
    const Mechanism& robot = core.loaded->mechanism;
    return nb::make_tuple(parameter_names(parameter_joints(robot)), to_array(standard_parameters(robot)));
  });
  module.def("identify_gains", [](const RobotCore& core, const RobotCore& loaded, const Measurements& without,
                                  const Measurements& with, const nb::dict& options) {
    std::vector<double> load = standard_parameters(loaded.loaded->mechanism);
    const std::vector<double> own = standard_parameters(core.loaded->mechanism);
    for (std::size_t k = 0; k < load.size(); ++k) load[k] -= own[k];
    return list_of(identify_gains(core.loaded->mechanism, without, with, load, options_of(options)).gains, {});
  });
}

}  // namespace catena::python
