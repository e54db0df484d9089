"""What the program may refuse: which command, with which options, of which robots, and how the line begins. What is refused and
not listed here is a failure of the walk, and so is what is listed and never refused."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Refusal:
    command: str  # and words that must be among its arguments; * for any
    traits: frozenset  # the robot has all of these
    message: str  # how it begins; NAME is the robot's, * anything
    elsewhere: bool = False  # depends on the machine: need not be met


def refusal(command, traits, message, elsewhere=False):
    return Refusal(command, frozenset(traits.split()), "catena: " + message, elsewhere)


FREE = "robot 'NAME' has a free base, which "
COUPLED = "robot 'NAME' has coupled joints, which "
LOOPS = "robot 'NAME' has closed loops, which "
MOTORS = "a motion of all joints needs a motor at each, and these are passive: "
REST = "--base-twist: {} needs a base at rest; leave out one of them"
REFUSALS = [
    # A base that is free.
    refusal("kinematics --solve", "free", FREE + "inverse kinematics does not support"),
    refusal("links", "free", FREE + "models link by link do not support"),
    refusal("denoc", "free", FREE + "the objects of DeNOC do not support"),
    refusal("cartesian", "free", FREE + "Cartesian models do not support"),
    refusal("linearize --cartesian", "free", FREE + "Cartesian models do not support"),
    refusal("linearize --state-space", "free", FREE + "state-space models do not support"),
    refusal("linearize --wrt", "free", FREE + "sensitivities do not support"),
    refusal("equilibrium", "free", FREE + "the search for equilibria does not support"),
    refusal("regressor --base", "free", FREE + "identification does not support"),
    refusal("excite", "free", FREE + "identification does not support"),
    refusal("filter", "free", FREE + "filtering logs does not support"),
    refusal("identify", "free", FREE + "identification does not support"),
    refusal("calibrate", "free", FREE + "calibration does not support"),
    refusal("equations", "free", FREE + "printed equations do not support"),
    refusal("generate --keep", "free", "--keep " + FREE + "constants that stay arguments do not support"),
    refusal("simulate --torque=operational", "free", FREE + "control of a frame does not support"),
    refusal("simulate --torque=resolved", "free", FREE + "control of a frame does not support"),
    refusal("simulate --torque=lqr --target", "free", FREE + "state-space models do not support"),
    refusal("simulate --to", "free", "NAME has a free base; motions can only be planned for robots on a fixed base"),
    refusal("simulate --event", "free", FREE + "assemblies do not support"),
    Refusal("assemble", frozenset(["free"]), "NAME: has a free base, joint 'trunk joint', and cannot be mounted on another robot"),
    refusal("trajectory", "free", "NAME has a free base; motions can only be planned for robots on a fixed base"),
    refusal("inverse --to", "free", "NAME has a free base; motions can only be planned for robots on a fixed base"),
    refusal("gravity --method", "free", "'progressive' of gravity does not take a free base; 'tensor-augmented' does"),
    refusal("bias --method", "free", "'*' of bias does not take a free base; 'tensor-augmented' does"),
    refusal("inverse --base-twist", "free", "--base-twist: NAME has a free base, whose motion cannot be prescribed"),
    refusal("simulate --period", "free", "*" + FREE + "*not support"),
    refusal("simulate --period", "passive", "--torque *: law '*' needs a motor at every joint; joint '*' is passive"),
    refusal("simulate --period --torque=lqr", "passive", "--torque lqr --period is for robots all of whose joints have motors"),
    refusal("simulate --period --torque=lqr", "loop", "--torque lqr: gains over time are for robots without closed loops", True),
    refusal("simulate --period --torque=null-space", "", "--torque null-space: the law needs more joints than directions"),
    refusal("simulate --period", "", "--torque *: the frame does not move: no joint carries it", True),
    refusal("simulate --period --torque=adaptive", "", "--torque adaptive: the link at joint '*' has no mass, or no extent", True),
    # Joints that follow others.
    refusal("links", "coupled", COUPLED + "models link by link do not support"),
    refusal("denoc", "coupled", COUPLED + "*do not support"),
    refusal("equations", "coupled", COUPLED + "printed equations do not support"),
    refusal("generate --keep", "coupled", "--keep " + COUPLED + "constants that stay arguments do not support"),
    refusal("simulate --event", "coupled", COUPLED + "assemblies do not support"),
    refusal("simulate", "coupled dry", "joint 'hand joint' follows several others and has dry friction, and sticking"),
    refusal("hash", "coupled dry", "joint 'hand joint' follows several others and has dry friction, and sticking"),
    refusal("forward --method", "coupled", "'*' of forward does not take coupled joints"),
    refusal("factor --method", "coupled", "'denoc' of factor does not take coupled joints"),
    refusal("hybrid --method", "coupled", "'articulated-body' of hybrid does not take coupled joints"),
    refusal("inverse_inertia --method", "coupled", "'*' of inverse_inertia does not take coupled joints"),
    refusal("response --method", "coupled", "'*' of response does not take coupled joints"),
    refusal("response_curvature --method", "coupled", "'*' of response_curvature does not take coupled joints"),
    # Closed loops: of one link after the other there is no model, and what dual numbers differentiate finds no positions.
    Refusal("convert", frozenset(["loop"]), "NAME: as MJCF: loop 'first' is universal; MuJoCo has equalities only for"),
    refusal("links", "loop", LOOPS + "models link by link do not support"),
    refusal("denoc", "loop", LOOPS + "*do not support"),
    refusal("calibrate", "loop", LOOPS + "calibrations do not support"),
    refusal("generate --keep", "loop", "--keep " + LOOPS + "constants that stay arguments do not support"),
    refusal("cartesian", "loop", LOOPS + "Cartesian models do not support"),
    refusal("linearize --cartesian", "loop", LOOPS + "Cartesian models do not support"),
    *(refusal(f"{job} --method", "loop", f"'*' of {job} does not take closed loops; '*' does")
      for job in ("gravity", "bias", "factor", "forward", "hybrid", "inverse_inertia", "response", "response_curvature")),
    # Joints without a motor.
    refusal("equilibrium", "", "NAME has no passive joint; name some with --passive"),
    refusal("trajectory", "passive", MOTORS),
    refusal("inverse --to", "passive", MOTORS),
    refusal("inverse --trajectory", "passive", MOTORS),
    refusal("simulate --torque=lqr --target", "passive", "--target: no equilibrium: passive joint '*joint"),
    refusal("simulate --torque=lqr --to", "passive", "--torque lqr along a motion is for robots all of whose joints have motors"),
    refusal("run --precision", "passive", "--threads, --precision, --restart and --device go with a robot without passive"),
    refusal("inverse --method", "passive", "--method: no formulation '*' of hybrid; known: "),
    # A base that moves as it is told.
    refusal("inverse --to", "moving", "--base-twist goes with one state or --states, not with a motion"),
    refusal("inverse --trajectory", "moving", "--base-twist goes with one state or --states, not with a motion"),
    refusal("coriolis --coefficients", "moving", REST.format("--coefficients")),
    refusal("regressor --parameters", "moving", REST.format("--parameters")),
    refusal("regressor --base", "moving", REST.format("--base")),
    refusal("linearize --state-space", "moving", REST.format("--state-space")),
    refusal("linearize --cartesian", "moving", REST.format("--cartesian")),
    refusal("linearize --wrt", "moving", REST.format("--wrt parameters")),
    refusal("gravity --method", "moving", "'progressive' of gravity does not take a moving base"),
    refusal("bias --method", "moving", "'*' of bias does not take a moving base"),
    refusal("coriolis --method", "moving", "'denoc' of coriolis does not take a moving base; 'tensor' does"),
    refusal("factor --method", "moving", "'denoc' of factor does not take a moving base"),
    refusal("forward --method", "moving", "'*' of forward does not take a moving base"),
    refusal("hybrid --method", "moving", "'articulated-body' of hybrid does not take a moving base"),
    refusal("inverse_inertia --method", "moving", "'*' of inverse_inertia does not take a moving base"),
    refusal("response --method", "moving", "'*' of response does not take a moving base"),
    refusal("response_curvature --method", "moving", "'*' of response_curvature does not take a moving base"),
    # One joint.
    refusal("inverse --lock", "one", "--lock: no joint of NAME is left to move"),
    refusal("factor --frame", "one", "frame 'tip' cannot be accelerated in all directions here: 1 of 3 are independent"),
    refusal("simulate --goal", "one", "frame 'tip' cannot be accelerated in all directions here: 1 of 3 are independent"),
    # What a machine may not have.
    refusal("report", "", "the page is missing", elsewhere=True),
    refusal("simulate --report", "", "the page is missing", elsewhere=True),
    refusal("simulate --plot", "", "--plot: gnuplot is not installed", elsewhere=True),
    refusal("trajectory --plot", "", "--plot: gnuplot is not installed", elsewhere=True),
]


def begins(line, message, name):
    pattern = ".*".join(re.escape(part.replace("NAME", name)) for part in message.split("*"))
    return re.match(pattern, line) is not None


def find(args, traits, name, line):
    """The entry that lists a refusal, or None."""
    for entry in REFUSALS:
        words = entry.command.split()
        if (all(any(arg == word or arg.startswith(word + "=") for arg in args) for word in words) and entry.traits <= traits
                and begins(line, entry.message, name)):
            return entry
    return None
