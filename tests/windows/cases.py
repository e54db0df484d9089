"""What compare.py runs with the program of each system: some invocations of every command, bad input, names and tables.

An entry is a command line, or (command line, tolerance, what is compared). {u} is a folder with a space and an umlaut."""

ROBOTS = ["ur5", "stanford", "gripper", "five_bar", "pelican_crucible", "planar2r"]

# The commands that are no jobs; those of the jobs are asked for, and run on all ROBOTS.
COMMANDS = {
    "info": ["info ur5 --json", "info gripper", "info ur5 --dh --convention modified --format latex"],
    "check": ["check ur5 --strict", "check bad.toml", "check crlf.toml --json"],
    "convert": ["convert ur5 -o made.urdf", "convert ur5 -o made.mjcf", "convert stanford -o made.toml",
                "convert stanford --to dh --convention classic"],
    "assemble": ["assemble planar2r gripper --at tool -o cell.toml", "assemble ur5 gripper --at tool0 -o larger.toml"],
    "kinematics": ["kinematics ur5 --q 0,-90,90,0,0,0 --deg --frame tool0 --json"],
    "links": ["links planar2r --q 0.3,0.7 --qd 1,2 --json"],
    "denoc": ["denoc stanford --qd 1,1,0.1,1,1,1 --objects M,W", "denoc planar2r --objects N_l,N_d"],
    "cartesian": ["cartesian ur5 --q 0,-1,1,0,1,0 --qd 0.1,0,0,0,0,0 --json",
                  ("cartesian ur5 --q 0,-1,1,0,1,0 --coordinates rpy --linearize --json", 1e-10, "numbers")],
    "static": ["static panda --lock panda_joint7=0 --payload tool:1.5,0,0,0.1 --json"],
    "equilibrium": [("equilibrium pelican_crucible --json", 1e-9, "numbers")],
    "run": ["run ur5 --compute inverse,inertia,pose --q 0,-1,1,0,0,0 --json",
            ("run ur5 --compute inverse --states motion.csv -o run.csv", 1e-12, "numbers"),
            ("run ur5 --compute inverse --states motion.npy -o run.npy", 1e-12, "numbers"),
            ("run ur5 --compute inverse --states motion.npz -o run.npz", 1e-12, "numbers")],
    "simulate": [("simulate planar3r --time 0.2 --json", 1e-6, "numbers"),
                 ("simulate planar3r --time 0.2 -o moved.csv", 1e-6, "numbers")],
    "filter": [("filter --table motion.csv --cutoff 10 -o smooth.csv", 1e-9, "numbers")],
    "excite": [("excite planar2r --time 5 --starts 1 --steps 2 --samples 50 --json", 1e-3, "shape")],
    "identify": ["inverse planar2r --states planar_motion.csv -o planar_torques.csv",
                 ("identify planar2r --states planar.csv --json", 1e-6, "shape")],
    "calibrate": [("calibrate ur5 --sensitivity --json", 1e-9, "numbers")],
    "trajectory": [("trajectory ur5 --to 1,-1,1,0.5,0.25,2 --time 2 -o motion.csv", 0, "bytes"),
                   ("trajectory ur5 --to 1,-1,1,0.5,0.25,2 --time 2 -o motion.npy", 0, "bytes"),
                   ("trajectory ur5 --to 1,-1,1,0.5,0.25,2 --time 2 -o motion.npz", 0, "bytes"),
                   "trajectory ur5 --to 1,-1,1,0,0,0 --time 2 --check --json"],
    "report": [("report ur5 -o page.html", 0, "status")],
    "generate": [("generate ur5 --compute inverse,forward --name arm -o arm.c", 0, "bytes"),
                 ("generate planar2r --compute inverse --lang python --name arm -o arm.py", 0, "bytes"),
                 ("generate planar2r --compute inverse --lang cuda --name arm -o arm.cu", 0, "bytes")],
    "gpu": [("gpu", 0, "status")],
    "equations": [("equations pelican -o pelican.tex", 0, "bytes")],
    "laws": ["laws", "laws --json"],
    "jobs": ["jobs", "jobs --json"],
    "methods": ["methods --compute inverse", "methods --json"],
    "count": ["count --n 6 --json", "count ur5"],
    "compare": [("compare planar2r --json", 0, "status")],
    "completion": ["completion bash", "completion zsh", "completion fish"],
    "help": ["help", "help inverse"],
}

# In the order in which they must run: what some write others read.
FIRST = ["trajectory"]

BAD_INPUT = [
    "", "nothing", "inverse", "inverse nobody", "inverse ur5 --q 1,2", "inverse ur5 --q a,b,c,d,e,f", "inverse ur5 --frame x",
    "inverse ur5 --states missing.csv", "inverse ur5 --states .", "inverse bad.toml", "inverse missing.toml", "inverse empty.toml",
    "inverse .", "inverse ur5 --states bad.csv", "inverse ur5 --states motion.csv -o missing/out.csv", "info ur5 extra",
    "trajectory ur5 --to 1,1,1,1,1,1 --time 1 -o a.xlsx", "inverse ur5 --q= ", "simulate ur5 --time -1",
    "inverse ur5 --engine nothing", "count --n 2 --plot a.pdf", "convert ur5 -o a.docx",
]

# File names as people have them; each is a list of commands, after which the outputs are compared.
NAMES = [
    "info {u}/robot.toml --json", "inverse {u}/robot.toml --json", "convert {u}/robot.toml -o {u}/wörter.urdf", "info {u}/wörter.urdf --json",
    "trajectory {u}/robot.toml --to 1,1 --time 1 -o {u}/tabelle.csv", "inverse {u}/robot.toml --states {u}/tabelle.csv -o {u}/τ.npz",
    "check crlf.toml", "inverse crlf.toml --q 0.3,0.7 --json", "info mixed/sub/../robot.toml --json",
]
# The same with the separator of Windows: compared with the line above it that has the other one.
BACKSLASHES = [("info mixed/robot.toml --json", "info mixed\\robot.toml --json"),
               ("convert mixed/robot.toml -o mixed/a.urdf", "convert mixed\\robot.toml -o mixed\\a.urdf"),
               ("info mixed/a.urdf --json", "info .\\mixed\\a.urdf --json")]
