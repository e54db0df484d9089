"""Every command and option of the program is in the package too, or says here why not."""

import inspect
import os
import re
import subprocess

import pytest

import catena
import catena.signals

# A target is "name" or "name(argument)": a name of the package catena, or one that starts with "Robot."; "(argument)" alone is one of
# the command's own function. What has none says why, after "no: ".
FILES = "no: arrays go in and come out; numpy reads and writes files"
UNITS = "no: np.radians"
PLOTS = "no: Matplotlib draws arrays; Motion.plot"
LIMITS = "no: a guard for people who type; Ctrl-C ends a call"
MOTION = {"from": "Robot.trajectory(points)", "to": "Robot.trajectory(points)", "via": "Robot.trajectory(points)", "times": "Robot.trajectory(times)",
          "speeds": "Robot.trajectory(velocity)", "accelerations": "Robot.trajectory(acceleration)", "profile": "Robot.trajectory(profile)",
          "time-optimal": "Robot.time_optimal", "jerks": "Robot.time_optimal(jerk)", "trajectory": FILES, "rate": FILES}
LIMITED = {"power": "Robot.check_limits(power)", "total-power": "Robot.check_limits(total_power)", "scale-to-limits": "Trajectory.scaled",
           "time": "Robot.trajectory(times)", "samples": FILES}
LOG = {"log": "Robot.read_log(files)", "column": "Robot.read_log(columns)", "unit": "Robot.read_log(units)", "offset": "Robot.read_log(offsets)",
       "swap": "Robot.read_log(columns)", "columns": "Robot.read_log(header)", "gear": "Robot.read_log(gears)", "rate": "Robot.read_log(rate)",
       "from": "Robot.prepare_log(start)", "to": "Robot.prepare_log(end)", "cutoff": "Robot.prepare_log(cutoff)", "order": "Robot.prepare_log(order)",
       "derivative": "Robot.prepare_log(derivative)", "derived-speeds": "Robot.prepare_log(qd)", "gap": "Robot.prepare_log(gap)",
       "rest": "Robot.prepare_log(rest)", "decimate": "Identifier(decimate)", "dead-band": "no: found from the noise of the speeds"}
FRAME = {"frame": "Robot.cartesian_model(frame)", "coordinates": "Robot.cartesian_model(coordinates)", "rows": "Robot.cartesian_model(rows)",
         "damping": "Robot.cartesian_model(damping)"}
LAW = {"gain": "Robot.controller(parameters)", "directions": "Robot.controller(directions)"}

SHARED = {
    "help": "no: help() and docstrings", "quiet": "no: warnings.simplefilter", "json": "no: results are arrays and tuples", "output": FILES,
    "deg": UNITS, "plot": PLOTS, "report": "Motion.report", "markdown": "no: prints a page of the documents", "states": FILES,
    "strict": "load(strict)", "lenient": "load(lenient)", "xacro": "load(xacro)", "package-path": "load(package_path)",
    "lock": "Robot.lock", "payload": "Robot.payload", "friction": "Robot.friction", "assembly": "Robot.assembled",
    "floating-base": "Robot.on_free_base", "passive": "Robot.passive", "only": "Robot.only", "rigid": "Robot.rigid", "stiff": "Robot.stiff",
    "snap": "Robot.snap", "gravity": "Robot.with_gravity", "wrench-axes": "Wrench(axes)", "base-twist": "Robot.on_moving_base",
    "base-acceleration": "Robot.on_moving_base", "q": "(q)", "qd": "(qd)", "qdd": "(qdd)", "tau": "(tau)", "lam": "(lam)", "qd_r": "(qd_r)",
    "method": "(method)", "engine": "(engine)", "wrench": "(wrenches)", "frame": "(frame)", "force": "Robot.save(force)",
}
# command: (its name in the package, its options other than the shared ones)
COMMANDS = {
    "info": ("Robot.description", {"dh": "Robot.dh_rows", "convention": "Robot.dh_rows(convention)", "format": "Robot.to_dh"}),
    "check": ("check", {}),
    "convert": ("Robot.save", {"to": "(format)", "convention": "Robot.to_dh"}),
    "assemble": ("join", {"at": "(frame)", "joint": "(type)", "axis": "(axis)", "origin": "(origin)", "name": "(name)", "prefix": "(prefix)"}),
    "kinematics": ("Robot.pose", {"solve": "Robot.inverse_kinematics", "ellipsoids": "Robot.ellipsoids", "all": "Robot.frames",
                                  "assemblies": "Robot.assemblies", "qd": "Robot.drift", "qdd": "Robot.drift"}),
    "inverse": ("Robot.inverse_dynamics", {**MOTION, **LIMITED, "motors": "Robot.motor_torques(motors)", "motor-weights": "Robot.motor_torques(weights)"}),
    "coriolis": ("Robot.coriolis_matrix", {"coefficients": "Robot.coriolis_coefficients"}),
    "factor": ("Robot.factor", {"inverse": "Robot.inverse_inertia", "frame": "Robot.operational_inertia(frame)",
                                "translation": "Robot.operational_inertia(translation)"}),
    "linearize": ("Robot.linearize", {**FRAME, "state-space": "Robot.state_space", "discrete": "Robot.state_space(dt)", "lqr": "lqr", "weights": "lqr(Q)",
                                      "cartesian": "Robot.cartesian_linearize", "wrt": "Robot.parameter_sensitivity",
                                      "parameters": "Robot.parameter_sensitivity(parameters)", "trajectory": FILES, "rate": FILES}),
    "regressor": ("Robot.regressor", {"base": "Robot.base_parameters", "parameters": "Robot.parameters"}),
    "links": ("Robot.links", {"link": "no: links()[name]", "screws": "(screws)"}),
    "denoc": ("Robot.denoc", {"objects": "(objects)", "format": "no: symbols are printed by the program", "symbols": "no: symbols are printed by the program"}),
    "cartesian": ("Robot.cartesian_model", {**FRAME, "linearize": "Robot.cartesian_linearize"}),
    "static": ("Robot.gravity", {}),
    "equilibrium": ("Robot.equilibria", {"starts": "(starts)"}),
    "run": ("Robot.run", {"compute": "(jobs)", "threads": "(threads)", "precision": "Robot.evaluate", "restart": "distributed.evaluate",
                          "device": "Robot.evaluate"}),
    "simulate": ("Robot.simulate", {
        **MOTION, **LAW, "trajectory": "(trajectory)", "time": "(time)", "samples": "(samples)", "rtol": "(rtol)", "atol": "(atol)", "integrator": "(integrator)",
        "step": "(step)", "max-steps": "(max_steps)", "torque": "(torque)", "tau": "(torque)", "target": "(target)", "kp": "(kp)", "kd": "(kd)",
        "weights": "(weights)", "goal": "(goal)", "controller-model": "(controller_model)", "period": "(period)", "force": "(force)",
        "wrench-table": "(wrenches)", "base-motion": "(base)", "base-twist": "(base)", "base-acceleration": "(base)", "event": "(events)",
        "stops": "(stops)", "saturate": "(saturate)", "restitution": "(restitution)"}),
    "filter": ("Robot.prepare_log", {**LOG, "table": "signals.low_pass", "check": "PreparedLog.warnings"}),
    "identify": ("Identifier", {
        **LOG, "weights": "(weights)", "offsets": "(offsets)", "subset": "(subset)", "friction": "(friction)", "only": "(only)", "folds": "(folds)",
        "validate": "Identifier.validate", "online": "Identifier.online", "forgetting": "Identifier.online(forgetting)",
        "loaded": "identify_gains(with_load)", "load": "identify_gains(loaded)", "payload-at": "identify_payload(frame)",
        "payload-mass": "identify_payload(mass)", "physical": "(physical)", "prior": "(prior)", "prior-model": "(prior_model)",
        "mass-bounds": "(mass_bounds)", "centre-within": "(centre_within)"}),
    "excite": ("Robot.excite", {
        **{name: f"({name})" for name in ("time", "harmonics", "starts", "steps", "seed", "criterion", "weights", "acceleration", "floor", "inside",
                                          "outside", "radius")}, "sphere": "(spheres)", "samples": "Excitation.sampled", "rate": "Excitation.sampled(rate)"}),
    "calibrate": ("Calibrator", {"poses": "Calibrator.fit", "parameters": "(parameters)", "known": "(base_known)", "keep": "(keep)", "unit": UNITS,
                                 "outlier": "(outlier)", "validate": "Calibrator.score", "folds": "Calibrator.cross_validate(folds)",
                                 "sensitivity": "Robot.kinematic_sensitivity", "q": "Robot.kinematic_sensitivity(q)"}),
    "trajectory": ("Robot.trajectory", {**{name: target for name, target in MOTION.items() if name != "trajectory"}, **LIMITED, "check": "Robot.check_limits", "feed-forward": "Robot.elastic_inverse",
                                        "phase-plot": "TimeOptimal.speed"}),
    "report": ("Robot.report", {"q": "(q)", "rate": FILES, "title": "(title)", "benchmark": "no: a page of the program's own times"}),
    "generate": ("Robot.generate", {
        "compute": "(jobs)", "lang": "(language)", "float": "(float32)", "sincos": "(sines)", "no-search": "(search)", "limit": LIMITS,
        **{name: f"({name.replace('-', '_')})" for name in ("name", "fuse", "packed", "abi", "derivatives", "target", "lanes", "keep", "significance", "speeds",
                                                            "accelerations", "gravity-input")},
        **LAW, "law": "Controller.code", "trajectory": FILES, "weights": "Robot.controller(gains)", "kind": "Robot.fmu(kind)", "fmi": "Robot.fmu(fmi)"}),
    "gpu": ("gpu.gpus", {}),
    "equations": ("Robot.equations", {"compute": "(jobs)", "symbols": "(symbols)", "format": "Equations.latex", "digits": "(digits)", "limit": LIMITS}),
    "laws": ("control_laws", {}),
    "jobs": ("jobs", {}),
    "methods": ("sources", {"compute": "(job)"}),
    "count": ("Robot.count", {"compute": "(job)", "n": "general_arm(n)", "twists": "general_arm(twists)", "constants": "(constants)"}),
    "compare": ("Robot.compare", {"compute": "(job)", "n": "general_arm(n)", "twists": "general_arm(twists)"}),
    "hash": ("no: of the program itself", {name: "no: of the program itself" for name in ("steps", "by-job")}),
    "completion": ("no: Python completes by itself", {}),
    "help": ("no: help()", {}),
}


def commands() -> dict[str, list[str]]:
    """The options of every command, as the program itself lists them for a shell."""
    if "CATENA_PROGRAM" not in os.environ:
        pytest.skip("CATENA_PROGRAM names no program")
    script = subprocess.run([os.environ["CATENA_PROGRAM"], "completion", "fish"], text=True, capture_output=True, check=True).stdout
    found: dict[str, list[str]] = {}
    for line in script.splitlines():
        if use := re.match(r"complete -c catena -n __fish_use_subcommand -a (\w+)", line):
            found[use[1]] = []
        elif seen := re.match(r"complete -c catena -n '__fish_seen_subcommand_from (\w+)'(?: -s \S+)* -l (\S+)", line):
            found[seen[1]].append(seen[2])
    assert len(found) > 50 and all(options for options in found.values())
    return found


def row(command):
    """Its name in the package, and its options; a job is the method of its name."""
    if command in COMMANDS:
        return COMMANDS[command]
    for job in catena.jobs():
        if job["name"] == command:
            return f"Robot.{job['method_name']}", {}
    return None


def has_argument(function, name):
    try:
        given = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of the extension module
        return re.search(rf"\b{name}\b", function.__doc__ or "") is not None
    return name in given


def problem(target, own):
    """What is wrong with a target; None where it exists."""
    if target.startswith("no: "):
        return None
    path, _, argument = target.partition("(")
    thing = catena
    for name in (path or own).split("."):
        thing = getattr(thing, name, None)
        if thing is None:
            return f"catena has no {path or own}"
    if argument and not has_argument(thing, argument.rstrip(")")):
        return f"{path or own} has no argument {argument.rstrip(')')}"
    return None


def test_every_command_and_option_has_a_place():
    missing = []
    for command, options in commands().items():
        if row(command) is None:
            missing.append(f"{command}: no row")
            continue
        name, own = row(command)
        if trouble := problem(name, name):
            missing.append(f"{command}: {trouble}")
        for option in options:
            target = own.get(option) or SHARED.get(option)
            trouble = "no row" if target is None else problem(target, name)
            if trouble:
                missing.append(f"{command} --{option}: {trouble}")
    assert not missing, "\n".join(missing)


def test_no_row_is_about_something_that_is_gone():
    there = commands()
    known = {option for options in there.values() for option in options}
    gone = [f"--{option}" for option in SHARED if option not in known]
    for command, (_, options) in COMMANDS.items():
        gone += [command] if command not in there else [f"{command} --{option}" for option in options if option not in there[command]]
    assert not gone, f"rows about nothing: {gone}"
