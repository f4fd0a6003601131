"""Memory and time of the interface between Python and the library. Times and sizes are printed (pytest -s); only memory
is tested, with an allowance for differences between machines."""

import json

import pytest

MEASURE = """
import json, os, sys, time
import astropy.units as u, numpy as np
import linerad as lr

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

def small():
    return lr.Model(
        mesh=lr.Mesh.uniform((16, 2, 2), [2, 1, 1] * u.pc, faces={"x": "open", "y": "periodic", "z": "periodic"}),
        line="lya",
        medium=lr.Medium(temperature=np.linspace(1e4, 2e4, 64).reshape(16, 2, 2) * u.K, tau_mean=200, damping=0.1),
        sources=lr.Plane(axis="x", at=0 * u.pc, spectrum=lr.Monochromatic(0), luminosity=1 / u.s),
        channels=lr.Channels(4, [-50, 50] * u.km / u.s), cameras=lr.Camera("a", "+x", pixels=4),
        run=lr.Run(packets=20, threads=1))
"""

LOAD = (
    MEASURE
    + """
n = COUNT
shape = (n, n, n)
temperature = u.Quantity(np.full(shape, 20.0) + np.arange(n), u.K, copy=False)
density = u.Quantity(np.full(shape, 1e-3) + 1e-6 * np.arange(n), 1 / u.cm**3, copy=False)
small().check()
if FROM_FILE:
    import h5py
    with h5py.File("gas.h5", "w") as file:
        for name, values, units in (("T", temperature, "K"), ("n", density, "cm-3")):
            file[name] = values.value
            file[name].attrs["units"] = units
    gas = {"temperature": {"file": "gas.h5", "dataset": "T"}, "density": {"file": "gas.h5", "dataset": "n"}}
else:
    gas = {"temperature": temperature, "density": density}
before = resident()
model = lr.Model(mesh=lr.Mesh.uniform(shape, [1, 1, 1] * u.pc), line=lr.Molecule("co", "1-0"),
                 medium=lr.Medium(turbulence=1 * u.km / u.s, **gas))
described = resident() - before
start = time.perf_counter()
model._pointer()
print(json.dumps({"array": temperature.nbytes, "described": described, "peak": peak() - before,
                  "kept": resident() - before, "seconds": time.perf_counter() - start}))
"""
)


def load(in_process, cells):
    """Describing a model takes no memory. Loading it takes what the library stores, 8 bytes per cell and field, and
    nothing more: as much as from a file, which it reads straight into these fields."""
    memory, file = (
        json.loads(in_process(LOAD.replace("COUNT", str(cells)).replace("FROM_FILE", from_file)))
        for from_file in ("False", "True")
    )
    print("from memory", memory, "from a file", file)
    size = memory["array"]
    assert memory["described"] < 0.05 * size
    assert memory["peak"] < file["peak"] + 0.25 * size


def test_a_model_crosses_without_a_copy(in_process):
    load(in_process, 128)


@pytest.mark.long
def test_a_large_model_crosses_without_a_copy(in_process):
    load(in_process, 256)


LEAK = (
    MEASURE
    + """
import ctypes, gc

class Malloc(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
if hasattr(libc, "mallinfo2"):
    libc.mallinfo2.restype = Malloc

def in_use():
    gc.collect()
    found = libc.mallinfo2() if hasattr(libc, "mallinfo2") else None
    return found and found.uordblks + found.hblkhd, sys.getallocatedblocks(), resident()

def once():
    result = small().run()
    cube = result.cube("a")
    return float(result.spectrum.flux.value.sum()) + float(cube.data.value.sum()) + float(cube.moment(0).value.sum())

for _ in range(30):
    once()
before, values, start = in_use(), set(), time.perf_counter()
for _ in range(COUNT):
    values.add(once())
seconds, after = (time.perf_counter() - start) / COUNT, in_use()
growth = [None if before[i] is None else (after[i] - before[i]) / COUNT for i in range(3)]
print(json.dumps({"bytes": growth[0], "objects": growth[1], "resident": growth[2], "seconds": seconds,
                  "different": len(values)}))
"""
)


def leak(in_process, count):
    """What is allocated and never freed, per run. The memory held by the process says little about it: the run has its
    own thread, and malloc gives threads arenas, which come and go in steps of a megabyte or more, and keeps what is
    freed. So bytes are counted where they are handed out, by malloc (of the library, numpy and cffi), and objects by
    Python. A model of this size that is not freed is 3 kB in the library and 50 objects in Python; a result is 150 kB.
    Caches still grow by a few objects and tens of bytes per run, ever more slowly."""
    found = json.loads(in_process(LEAK.replace("COUNT", str(count))))
    print(count, found)
    if found["bytes"] is None:
        pytest.skip("malloc does not say how much is in use (mallinfo2 of glibc 2.33 is missing)")
    assert found["different"] == 1
    assert found["bytes"] < 500
    assert found["objects"] < 20


def test_runs_leak_nothing(in_process):
    leak(in_process, 100)


@pytest.mark.long
def test_a_thousand_runs_leak_nothing(in_process):
    leak(in_process, 1000)


OVERHEAD = (
    MEASURE
    + """
model = small()
model.run()
best = 1e9
for _ in range(10):
    start = time.perf_counter()
    result = model.run()
    best = min(best, time.perf_counter() - start - result.summary.seconds_total.value)
cold = 1e9
for _ in range(10):
    start = time.perf_counter()
    result = small().run()
    cold = min(cold, time.perf_counter() - start - result.summary.seconds_total.value)
print(json.dumps({"again_ms": 1e3 * best, "with_a_new_model_ms": 1e3 * cold}))
"""
)


def test_overhead_is_measured(in_process):
    """In addition to the run itself. The number is only for information: a busy machine must not fail a test."""
    found = json.loads(in_process(OVERHEAD))
    print(found)
    assert found["again_ms"] > 0 or found["with_a_new_model_ms"] > 0
