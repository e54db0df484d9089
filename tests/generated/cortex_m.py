"""Generated C compiled by arm-none-eabi-gcc and run by QEMU: for the tests and for tools/measure_cortex_m.py."""

import pathlib
import subprocess

FIRMWARE = pathlib.Path(__file__).parent / "firmware"
NEEDED = ["arm-none-eabi-gcc", "arm-none-eabi-nm", "arm-none-eabi-size", "qemu-system-arm"]
BOARDS = {"Cortex-M4F": ("mps2-an386", ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"]),
          "Cortex-M7": ("mps2-an500", ["-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16"])}
STRICT = ["-std=c99", "-ffreestanding", "-Wall", "-Wextra", "-pedantic", "-Wdouble-promotion", "-Wconversion", "-Werror"]


def call(command, folder):
    """Its output, both streams; ends the program with the command's words where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, start_new_session=True, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(word) for word in command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr  # which is where QEMU writes what a board does


def flags_of(processor):
    return ["-mthumb", *BOARDS[processor][1], "-mfloat-abi=hard"]


def compile_objects(processor, sources, folder, flags):
    """Object files beside the sources, under the strict flags."""
    call(["arm-none-eabi-gcc", "-c", *flags_of(processor), *STRICT, *flags, *sources], folder)
    return [pathlib.Path(source).with_suffix(".o").name for source in sources]


def link(processor, objects, folder, flags=("-O2",)):
    """With the work that the folder's work.c describes; nothing else is there to call."""
    call(["arm-none-eabi-gcc", *flags_of(processor), "-std=c99", "-ffreestanding", *flags, f"-I{FIRMWARE}", "work.c", FIRMWARE / "board.c", *objects,
          "-nostdlib", "-T", FIRMWARE / "mps2.ld", "-o", "work.elf"], folder)


def run(processor, folder, *options):
    """What work() shows, a list of numbers of 32 bits a line."""
    text = call(["qemu-system-arm", "-M", BOARDS[processor][0], "-display", "none", "-serial", "null", "-monitor", "none", "-semihosting-config", "enable=on,target=native", *options, "-kernel", "work.elf"],
                folder)
    return [[int(word, 16) for word in line.split()] for line in text.splitlines()]
