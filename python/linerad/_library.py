"""The C library, bound through its own headers: exactly what linerad.h and linerad_tools.h declare.

The library is the one named by the environment variable LINERAD_LIBRARY, the one installed in this package, or, for a
package in a checkout, the one built there.
"""

import os
import re
import sys
from pathlib import Path

from cffi import FFI

from ._locale import WithPoint

HERE = Path(__file__).resolve().parent


def declarations(header):
    """The header without preprocessor directives."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^#if(def __cplusplus| defined\(__GNUC__\)).*?^#endif", "", text, flags=re.S | re.M)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    return re.sub(r"\bLR_API\b", "", text)


def _find_header(name):
    for path in (HERE / "include" / name, HERE.parents[1] / "include" / name):
        if path.exists():
            return path
    raise ImportError(f"linerad: the header {name} is missing from the package; reinstall it")


def _find_library():
    named = os.environ.get("LINERAD_LIBRARY")
    if named:
        return named
    name = "liblinerad.dylib" if sys.platform == "darwin" else "liblinerad.so"
    path, built = HERE / "lib" / name, HERE.parents[1] / "build" / name
    if path.exists():
        return str(path)
    if (HERE.parents[1] / "CMakeLists.txt").exists() and built.exists():
        return str(built)
    raise ImportError(
        f"linerad: no library at {path}; run 'make build' or 'pip install .' in the checkout, or set LINERAD_LIBRARY to a "
        f"{name}"
    )


ffi = FFI()
for _name in ("linerad.h", "linerad_tools.h"):
    ffi.cdef(declarations(_find_header(_name).read_text(encoding="utf-8")))
lib = WithPoint(ffi, ffi.dlopen(_find_library()))


def text(pointer):
    """A C string as str; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def take_text(pointer):
    """The same for a string that the caller must free."""
    found = text(pointer)
    lib.lr_text_free(pointer)
    return found


def new_struct(name):
    """A struct of the library that begins with its size: a pointer to an empty one."""
    found = ffi.new(f"struct {name} *")
    found.size = ffi.sizeof(f"struct {name}")
    return found


def names(function, owner):
    """What a function of (owner, index) counts, up to its NULL."""
    found = []
    while (name := text(function(owner, len(found)))) is not None:
        found.append(name)
    return found
