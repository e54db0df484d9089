"""Generated C compiled for microcontrollers and run by QEMU: for the tests and for tools/measure_cortex_m.py."""

import dataclasses
import pathlib
import subprocess

FIRMWARE = pathlib.Path(__file__).parent / "firmware"


@dataclasses.dataclass
class Board:
    tools: str  # what names of the compiler and its tools begin with
    flags: list[str]
    emulator: list[str]  # QEMU and the machine
    start: str  # of FIRMWARE: NAME.c starts the processor, NAME.ld places code and data


def cortex_m(machine, *flags):
    return Board("arm-none-eabi-", ["-mthumb", *flags, "-mfloat-abi=hard"], ["qemu-system-arm", "-M", machine], "mps2")


BOARDS = {"Cortex-M4F": cortex_m("mps2-an386", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"),
          "Cortex-M7": cortex_m("mps2-an500", "-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16"),
          "RV32IMAFC": Board("riscv64-unknown-elf-", ["-march=rv32imafc", "-mabi=ilp32f", "-mcmodel=medany"],
                             ["qemu-system-riscv32", "-M", "virt", "-bios", "none"], "virt")}
NEEDED = sorted({word for board in BOARDS.values() for word in (board.tools + "gcc", board.tools + "nm", board.tools + "size", board.emulator[0])})
STRICT = ["-std=c99", "-ffreestanding", "-Wall", "-Wextra", "-pedantic", "-Wdouble-promotion", "-Wconversion", "-Werror"]


def call(command, folder):
    """Its output, both streams; ends the program with the command's words where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, start_new_session=True, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(word) for word in command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr  # which is where QEMU writes what a board does


def compile_objects(processor, sources, folder, flags):
    """Object files beside the sources, under the strict flags."""
    board = BOARDS[processor]
    call([board.tools + "gcc", "-c", *board.flags, *STRICT, *flags, *sources], folder)
    return [pathlib.Path(source).with_suffix(".o").name for source in sources]


def link(processor, objects, folder, flags=("-O2",)):
    """With the work that the folder's work.c describes; nothing else is there to call."""
    board = BOARDS[processor]
    call([board.tools + "gcc", *board.flags, "-std=c99", "-ffreestanding", *flags, f"-I{FIRMWARE}", "work.c", FIRMWARE / f"{board.start}.c", FIRMWARE / "board.c",
          *objects, "-nostdlib", "-T", FIRMWARE / f"{board.start}.ld", "-o", "work.elf"], folder)


def run(processor, folder, *options):
    """What work() shows, a list of numbers of 32 bits a line."""
    text = call([*BOARDS[processor].emulator, "-display", "none", "-serial", "null", "-monitor", "none", "-semihosting-config", "enable=on,target=native", *options,
                 "-kernel", "work.elf"], folder)
    return [[int(word, 16) for word in line.split()] for line in text.splitlines()]
