"""What the times were measured on: processor, GPU, compiler, and how fast arithmetic can be there."""
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("LINERAD_BIN", str(ROOT / "build" / "linerad"))

SCATTERING = 20  # special functions per scattering, with divisions
GPU_FUNCTIONS = 16  # special functions per clock and multiprocessor
MULTIPROCESSORS = {"H200": 132, "H100": 132, "A100": 108, "V100": 80}


def output_of(*command):
    """Standard output, or nothing if the command fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def hardware():
    """The lines of `linerad info`."""
    return [" ".join(line.split()) for line in output_of(PROGRAM, "info").splitlines() if line.strip()]


def physical_cores():
    places = set(re.findall(r"^(?:0x)?\d+,\d+$", output_of("lscpu", "--parse=CORE,SOCKET"), re.M))
    return len(places) or os.cpu_count() or 1


def built_with(path, variable):
    found = re.search(rf"^{variable}:\w+=(.+)$", path.read_text(), re.M) if path.exists() else None
    return found[1] if found else ""


def compilers():
    """Of the build that the program is in."""
    cache = Path(PROGRAM).resolve().parent / "CMakeCache.txt"
    c = output_of(built_with(cache, "CMAKE_C_COMPILER") or "cc", "--version").splitlines()
    cuda = re.search(r"release ([\d.]+)", output_of(built_with(cache, "CMAKE_CUDA_COMPILER") or "nvcc", "--version"))
    native = "this processor only" if built_with(cache, "LINERAD_NATIVE") == "ON" else "all processors"
    return [*c[:1], "kernels for " + native, *(["nvcc " + cuda[1]] if cuda else [])]


def describe():
    return {"hardware": hardware(), "cores": physical_cores(), "compilers": compilers(),
            "system": platform.system() + " " + platform.machine()}


def key(machine):
    """Equal for runs that may be compared: all of the hardware but its free memory."""
    return re.sub(r", [\d.]+ GiB free", "", " | ".join(machine["hardware"][1:]))


def core_limit(precision):
    """Scatterings per second of one core that does nothing but their special functions; None without a compiler."""
    if not shutil.which("gcc"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        options = ["-std=c17", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
                   "-fopenmp-simd", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}"]
        options += ["-DLR_REAL_DOUBLE"] if precision == "double" else []
        output_of("gcc", *options, str(ROOT / "bench" / "limit.c"), "-o", program, "-lm")
        rate = output_of(program).strip()
    return float(rate) / SCATTERING if rate else None


def gpu_limit():
    """The same of a GPU in single precision, from its clock and its number of multiprocessors."""
    text = output_of("nvidia-smi", "--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits")
    processors = next((n for name, n in MULTIPROCESSORS.items() if name in " ".join(hardware())), None)
    if not text.strip() or not processors:
        return None
    return float(text.split()[0]) * 1e6 * processors * GPU_FUNCTIONS / SCATTERING


def limit(device, precision, threads, known={}):
    """Of `threads` threads, at most as many as there are cores; measured once."""
    name = ("cuda" if device.startswith("cuda") else "cpu", precision)
    if name not in known:
        known[name] = core_limit(precision) if name[0] == "cpu" else gpu_limit() if precision == "mixed" else None
    share = min(threads or physical_cores(), physical_cores()) if name[0] == "cpu" else 1
    return known[name] and known[name] * share
