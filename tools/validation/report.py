"""Writes validation.md and its figures, only from the results of the cases."""

import math

from .suite import CASES, N_SIGMA, SOURCES

INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # Okabe & Ito (2008), colour-blind safe

INTRODUCTION = """\
# Validation

Written by `tools/validate`, with its figures; do not edit. `make validate` repeats everything at full size,
`tools/validate CASE` one case, and `tools/validate --report` writes this page from existing results (`out/validation`).

Every case compares linerad with independent numbers: closed forms, independent calculations, published tables, other
programs. Models and expected values are those of `tests/physics`; this page shows the size of the differences, whereas
the tests only check that they are small enough.

- **packets**: in each run; 0 if none are needed.
- **difference**: relative to the reference, or absolute if that is 0.
- **error**: `±` is one standard error of the difference, and {n_sigma:g} of them are accepted; `+` adds an allowance
  for a known finite effect described with the case; `≤` is a tolerance that is not statistical.
- **pass**: `-` if the two numbers are only shown and need not agree.

"""


def significant(value, error):
    """With as many digits as the error makes meaningful."""
    if error > 0 and value != 0:
        digits = 1 - math.floor(math.log10(error))
        if digits <= 7 and abs(value) < 1e6:
            return f"{value:.{max(digits, 0)}f} ± {error:.{max(digits, 0)}f}"
        return f"{value:.3e} ± {error:.1e}"
    return f"{value:.5g}"


def share_of(number):
    return f"{100 * number:.2g} %"


def reference_of(row):
    return "{:g} to {:g}".format(*row["reference"]) if row["kind"] == "range" else significant(*row["reference"])


def difference_of(row):
    if row["kind"] == "range":
        return ""
    value, expected = row["measured"][0], row["reference"][0]
    return f"{value:.2g}" if expected == 0 else f"{100 * (value / expected - 1):+.2g} %"


def error_of(row):
    expected = abs(row["reference"][0])
    if row["kind"] == "statistical":
        text = f"± {share_of(row['error'] / expected)}"
        return text + (f" + {share_of(row['allowance'])}" if row["allowance"] else "")
    if row["kind"] == "tolerance":
        return f"≤ {share_of(row['relative'])}" if row["relative"] is not None else f"≤ {row['absolute']:.2g}"
    return ""


def table(results, numbers):
    lines = ["| case | quantity | packets | measured | reference | difference | error | pass | source |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        if result is None:
            lines.append(f"| {name} | not run | | | | | | | |")
        elif result.get("skipped"):
            lines.append(f"| {name} | skipped: {result['skipped']} | | | | | | | |")
        elif result.get("failed"):
            lines.append(f"| {name} | failed: {result['failed']} | | | | | | **no** | |")
        for row in (result or {}).get("rows", []):
            verdict = {True: "yes", False: "**no**", None: "-"}[row["passed"]]
            lines.append(f"| {name} | {row['quantity']} | {row['packets']:g} | {significant(*row['measured'])} | "
                         f"{reference_of(row)} | {difference_of(row)} | {error_of(row)} | {verdict} | "
                         f"{numbers[row['source']]} |")
    return lines


def counts(result):
    """How many rows passed, failed or were only shown."""
    verdicts = [row["passed"] for row in (result or {}).get("rows", [])]
    return verdicts.count(True), verdicts.count(False), verdicts.count(None)


def overview(results):
    lines = ["| case | | passed | failed | shown | size | seconds | when and where |",
             "|---|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        title = f"[{name}](#{anchor(CASES[name]['title'])}) | {CASES[name]['title']}"
        if result is None:
            lines.append(f"| {title} | | | | not run | | |")
        elif result.get("skipped") or result.get("failed"):
            word = "skipped" if result.get("skipped") else "failed"
            lines.append(f"| {title} | | | | {word}: {result[word]} | | |")
        else:
            passed, failed, shown = counts(result)
            size = "quick" if result["quick"] else f"{100 * result['share']:g} %"
            lines.append(f"| {title} | {passed} | {failed} | {shown} | {size} | {result['seconds']:.0f} | "
                         f"{result['date']}, {result['version']} ({result['commit']}), {result['device']} |")
    return lines


def anchor(title):
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def draw(result, path):
    import matplotlib  # here, so that cases can be run where it is not installed

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels = result["panels"]
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.4 * rows), squeeze=False, layout="constrained")
    for axis in axes.ravel()[len(panels):]:
        axis.set_axis_off()
    for axis, panel in zip(axes.ravel(), panels):
        ink = 0
        for entry in panel["curves"]:
            if entry["label"] and panel["curves"].index(entry):
                ink += 1  # a curve without a label belongs to the previous one
            draw_curve(axis, entry, INKS[ink % len(INKS)])
        axis.set_xscale("log" if "x" in panel["log"] else "linear")
        axis.set_yscale("log" if "y" in panel["log"] else "linear")
        axis.set_title(panel["title"], fontsize=10)
        axis.set_xlabel(panel["x_label"])
        axis.set_ylabel(panel["y_label"])
        axis.legend(fontsize=7, frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def draw_curve(axis, entry, ink):
    label = entry["label"] or None
    if entry["style"] == "crosses":
        axis.plot(entry["x"], entry["y"], "x", ms=7, color=ink, label=label)
    elif entry["style"] == "points":
        axis.errorbar(entry["x"], entry["y"], entry["error"], fmt="o", ms=3, lw=1, color=ink, label=label)
    elif entry["style"] == "steps":
        axis.step(entry["x"], entry["y"], where="mid", lw=1.2, color=ink, label=label)
    else:
        axis.plot(entry["x"], entry["y"], lw=1.2, ls="--" if entry["style"] == "dashed" else "-", label=label,
                  color="0.4" if entry["style"] == "dashed" else ink)


def write(results, folder):
    """`results`: {case: result or None}. Writes folder/validation.md and folder/images/validation_*.png."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    used = [row["source"] for result in results.values() if result for row in result.get("rows", [])]
    numbers = {source: i + 1 for i, source in enumerate(sorted(set(used), key=list(SOURCES).index))}
    totals = [sum(column) for column in zip(*(counts(result) for result in results.values()))]
    text = [INTRODUCTION.format(n_sigma=N_SIGMA).rstrip(), "",
            f"**{totals[0]} comparisons passed, {totals[1]} failed; {totals[2]} are only shown.**", "",
            "Size is the fraction of the packets of a full run. In brackets is the commit of the checkout that the tool ran in;",
            "with LINERAD_BIN the program may be an earlier build.", "", *overview(results), ""]
    machines = sorted({result["machine"] for result in results.values() if result and "machine" in result})
    text += [f"Machine: {machine}." for machine in machines] + [""] * bool(machines)
    for name, result in results.items():
        text += [f"## {CASES[name]['title']}", "", CASES[name]["about"].strip(), ""]
        text += [f"Alone: `tools/validate {name}`.", ""]
        picture = folder / "images" / f"validation_{name}.png"
        if result and result.get("panels"):
            draw(result, picture)
            text += [f"![{CASES[name]['title']}](images/{picture.name})", ""]
    text += ["## All comparisons", "", *table(results, numbers), "", "## Sources", ""]
    text += [f"{number}. {SOURCES[source]}" for source, number in numbers.items()]
    (folder / "validation.md").write_text("\n".join(text) + "\n")
    return totals
