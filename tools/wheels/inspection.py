"""What must hold in a wheel before anybody installs it."""

import subprocess
import sys
from pathlib import Path

SYSTEM = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2",
          "libutil.so.1", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2",  # of every Linux with glibc
          "libz.so.1", "libexpat.so.1"}  # and, by the manylinux standard, of every Linux with Python


def programs(folder):
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            yield file


def dynamic(file):
    """What a library needs, and where it looks."""
    told = subprocess.run(["readelf", "-dW", file], capture_output=True, text=True, check=True).stdout.splitlines()

    def entries(kind):
        return [line.rpartition("[")[2].rstrip("]") for line in told if f"({kind})" in line]

    paths = entries("RPATH") + entries("RUNPATH")
    return entries("NEEDED"), [entry for path in paths for entry in path.split(":")]


def problems_of(file, folder):
    needed, paths = dynamic(file)
    inside = []
    for path in paths:
        if not path.startswith("$ORIGIN"):
            yield f"looks for libraries in '{path or 'the current directory'}'"
            continue
        place = Path(path.replace("$ORIGIN", str(file.parent))).resolve()
        if not place.is_relative_to(folder.resolve()):
            yield f"looks for libraries outside the package: {path}"
        inside.append(place)
    for name in needed:
        if name not in SYSTEM and not any((place / name).exists() for place in inside):
            yield f"needs {name}, which is not in the wheel"


def check(folder, built_in, wanted):
    """Exits with a list of what is wrong with the wheel unpacked in `folder`; it must not name where it was built."""
    problems = [f"{name}: missing" for name in wanted if not (folder / name).is_file()]
    for file in folder.rglob("*"):
        if file.is_file() and str(built_in).encode() in file.read_bytes():
            problems.append(f"{file.relative_to(folder)}: contains the path {built_in}")
    found = list(programs(folder))
    for file in found:
        problems += [f"{file.relative_to(folder)}: {problem}" for problem in problems_of(file, folder)]
    if not found:
        problems.append("no program or library")
    if problems:
        sys.exit("\n".join(["build-wheels: the wheel is not fit for use:", *problems]))
    print(f"checked {len(found)} programs and libraries")
