"""One case on one device, once: the work that was done, and the time of each part."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from cases import CASES
from machine import PROGRAM, ROOT

COUNTED = ("instructions", "cycles")


def command_of(name, device, precision, threads, folder):
    case = CASES[name]
    on_gpu = device.startswith("cuda")
    packets = case.gpu if on_gpu else case.cpu * (1 if case.kind == "jumps" else max(threads, 1))
    path = ROOT / (case.model if case.model.endswith(".yaml") else f"examples/{case.model}.yaml")
    command = [PROGRAM, "run", str(path), "--json", "--quiet", "-o", str(Path(folder) / "result.h5"),
               "--device", device, "--precision", precision, "--packets", "%d" % packets]
    command += ["--threads", str(threads)] if threads else []
    # all scatterings are followed, unless a case jumps
    for setting in ("physics.acceleration=none", *case.settings, *(case.on_gpu if on_gpu else ())):
        command += ["--set", setting]
    return command


def can_count():
    """Whether this machine has counters that we may read."""
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(COUNTED), "true"], capture_output=True, text=True)
    return done.returncode == 0 and "not supported" not in done.stderr and "not counted" not in done.stderr


def counts_of(text):
    """{event: number} from `perf stat -x,`."""
    return {event: int(number) for number, event in re.findall(r"^(\d+),[^,]*,(\w+)", text, re.M) if event in COUNTED}


def run_case(name, device, precision, threads, cache, counting=False):
    """`clock_s` is the whole job, from start to exit; `total_s` what the program says of itself."""
    with tempfile.TemporaryDirectory() as folder:
        command = command_of(name, device, precision, threads, folder)
        counters = str(Path(folder) / "counts")
        if counting:
            command = ["perf", "stat", "-x,", "-o", counters, "-e", ",".join(COUNTED), *command]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LINERAD_CACHE": str(cache)})
        clock = time.perf_counter() - start
        counted = counts_of(Path(counters).read_text()) if counting and done.returncode == 0 else {}
    if done.returncode != 0:
        return {"error": done.stderr.strip()}
    summary = json.loads(done.stdout)
    seconds = summary["seconds"]
    found = {"device": summary["device"], "clock_s": round(clock, 4), "total_s": round(seconds["total"], 4)}
    if "populations" in summary:
        populations = summary["populations"]
        found |= {"iterations": populations["iterations"], "error": float("%.3g" % populations["error"]),
                  "populations_s": round(populations["seconds"], 4)}
    else:
        found |= {"packets": summary["packets"], "scatterings": summary["scatterings"],
                  "transport_s": round(seconds["transport"], 4), "images_s": round(seconds["images"], 4),
                  "scatterings_per_second": float("%.4g" % (summary["scatterings_per_second"] or 0))}
    return found | counted
