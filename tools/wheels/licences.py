"""The licences of the libraries that a wheel carries, as Debian packages state them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path


def libraries(library):
    """The files that a library loads, by the names it asks for."""
    told = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    pairs = (line.split("=>") for line in told.splitlines() if "=>" in line)
    return {name.strip(): Path(path.split("(")[0].strip()).resolve() for name, path in pairs}


def package_of(path):
    """The Debian package of a file; packages know /lib where the system has /usr/lib, or the other way round."""
    for name in (str(path), str(path).removeprefix("/usr")):
        told = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.split(":")[0]
    return None


def carried(folder):
    """The names of the libraries in linerad.libs, without the hash that auditwheel puts into them."""
    return {re.sub(r"-[0-9a-f]{8}(?=\.)", "", file.name, count=1) for file in folder.glob("*.libs/*")}


def collect(folder, library):
    """Puts the licences of all carried libraries, and of the database of units, into the wheel unpacked in `folder`."""
    found = libraries(library)
    names = carried(folder)
    files = {path for name, path in found.items() if name in names or path.name in names}
    if len(files) < len(names):
        sys.exit(f"build-wheels: of {len(names)} libraries in the wheel, only {len(files)} are known to the loader")
    (licences,) = folder.glob("*.dist-info/licenses")
    packages = {path: package_of(path) for path in files}
    for path, package in packages.items():
        text = Path(f"/usr/share/doc/{package}/copyright")
        if not package or not text.exists():
            sys.exit(f"build-wheels: no licence found for {path}")
        (licences / "libraries").mkdir(exist_ok=True)
        shutil.copy(text, licences / "libraries" / f"{package}.txt")
    print(f"{len(files)} libraries inside, licences of {len(set(packages.values()))} packages")
