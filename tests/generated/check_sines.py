#!/usr/bin/env python3
"""The sine, cosine and exponential of code for Cortex-M against the C library's in double precision, over all floats, with and without
fused operations: their largest errors in units of the last place.

usage: check_sines.py --catena PROGRAM [--every N]      N: every N-th float; default 499, in the tests; 1 takes some minutes
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

BOUNDS = {"sine": 0.99, "cosine": 0.99, "decay": 1.8}  # docs/microcontrollers.md states them

SWEEP = r"""
#include "arm.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double units(double got, double want)
{
  int exponent;
  frexp(want, &exponent);
  return fabs(got - want)/ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

int main(int count, char **words)
{
  double worst[3] = {0.0, 0.0, 0.0};
  float at[3] = {0.0f, 0.0f, 0.0f};
  (void)count;
  for (int sign = 0; sign < 2; ++sign)
    for (unsigned long bits = 0; bits < 0x7F800000UL; bits += strtoul(words[1], 0, 10)) {
      const unsigned own = (unsigned)bits | (unsigned)sign << 31;
      float x, s, c;
      memcpy(&x, &own, sizeof x);
      arm_sincos_one(x, &s, &c);
      const int decays = sign == 0 && x < 87.0f;
      const double off[3] = {units(s, sin(x)), units(c, cos(x)), decays ? units(arm_decay(x), exp(-(double)x)) : 0.0};
      for (int k = 0; k < 3; ++k)
        if (!(off[k] <= worst[k])) worst[k] = off[k], at[k] = x;
    }
  for (int k = 0; k < 3; ++k) printf("%s %.4f %.9g\n", k == 0 ? "sine" : k == 1 ? "cosine" : "decay", worst[k], at[k]);
  const float beyond[3] = {INFINITY, -INFINITY, NAN};
  for (int k = 0; k < 3; ++k) {
    float s, c;
    arm_sincos_one(beyond[k], &s, &c);
    printf("beyond %d 0\n", s == s || c == c);
  }
  return 0;
}
"""

ROBOT = """
name = "one"
convention = "classic"
gravity = [0.0, -9.81, 0.0]
[[link]]
joint = "revolute"
a = 0.26
mass = 1.0
com = [-0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
friction = { viscous = 0.1, coulomb = 0.2, stribeck = 0.3, stribeck_speed = 0.1 }
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    parser.add_argument("--every", type=int, default=499, help="every N-th float")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory(prefix="sines") as folder:
        folder = pathlib.Path(folder)
        (folder / "one.toml").write_text(ROBOT)
        (folder / "sweep.c").write_text(SWEEP)
        subprocess.run([pathlib.Path(options.catena).resolve(), "generate", "one.toml", "--compute=inverse,pose", "--target=cortex-m",
                        "--name=arm", "-o", "arm.c"], cwd=folder, check=True, capture_output=True)
        flags = [["-ffp-contract=off"]]
        if "fma" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
            flags.append(["-ffp-contract=fast", "-mfma"])
        for how in flags:
            subprocess.run(["cc", "-std=gnu99", "-O2", *how, "sweep.c", "-o", "sweep", "-lm"], cwd=folder, check=True)
            done = subprocess.run(["./sweep", str(options.every)], cwd=folder, check=True, capture_output=True, text=True)
            for what, worst, at in (line.split() for line in done.stdout.splitlines()):
                if what == "beyond":
                    failures += ["an angle that is not finite has a sine"] if worst != "0" else []
                    continue
                print(f"{' '.join(how)}: {what}: {worst} units in the last place at most, at {at}")
                if not float(worst) < BOUNDS[what]:
                    failures.append(f"{what} is off by {worst} units, more than {BOUNDS[what]}")
    print(*failures, sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
