"""Repeated runs of a case as numbers: median, spread, distance to the limit, and to a baseline."""
import json
import math
from statistics import median

from cases import CASES
from machine import key, limit

TIMED = {"packets": "transport_s", "jumps": "transport_s", "rays": "images_s", "levels": "populations_s"}
SLOWER = 1.05  # and outside the spread of both


def middle(runs, name):
    """Median and spread, half the distance between the quartiles; of few runs the spread is half of their range."""
    values = sorted(run[name] for run in runs)
    if len(values) < 4:
        return median(values), 0.5 * (values[-1] - values[0])
    half = len(values) // 2
    return median(values), 0.5 * (median(values[-half:]) - median(values[:half]))


def failed(entry):
    return next((run["error"] for run in entry["runs"] if isinstance(run.get("error"), str)), None)


def digest(entry):
    """What a table says of one case: seconds of its kind, of the whole job, and rates if packets were followed."""
    runs, case = entry["runs"], CASES[entry["case"]]
    seconds, spread = middle(runs, TIMED[case.kind])
    found = {"seconds": seconds, "spread": spread}
    if "clock_s" in runs[0]:
        found["whole"] = middle(runs, "clock_s")[0]
    if case.kind == "packets":
        found["rate"] = middle(runs, "scatterings_per_second")[0]
        most = limit(runs[0]["device"], entry["precision"], entry["threads"])
        if most:
            found["of_limit"] = found["rate"] / most
        if "instructions" in runs[0]:
            found["instructions"] = middle(runs, "instructions")[0] / runs[0]["scatterings"]
    return found


def read_results(path):
    """(machine, entries) of a file of JSON lines; it may have several machines, of which the last one counts."""
    machine, entries = None, {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        if "hardware" in entry:
            machine, entries = entry, {}
        elif entry["case"] in CASES and not failed(entry):
            entries[entry["case"], entry["precision"], entry["threads"]] = entry
    return machine, entries


def baseline(paths, machine):
    """The entries of the last of these files that were measured on the same machine, and the name of the file."""
    for path in sorted(paths, reverse=True):
        measured, entries = read_results(path)
        if measured and key(measured) == key(machine) and entries:
            return path, entries
    return None, {}


def compared(entry, entries):
    """The time over that of the baseline, and whether it is slower beyond the spread of both."""
    before = entries.get((entry["case"], entry["precision"], entry["threads"]))
    if not before:
        return None, False
    name = TIMED[CASES[entry["case"]].kind]
    (now, spread), (then, spread_then) = middle(entry["runs"], name), middle(before["runs"], name)
    if not then > 0:
        return None, False
    return now / then, now > SLOWER * then and now - then > 3 * math.hypot(spread, spread_then)
