"""Names of lines in titles."""

import json

_BUILT_IN = {"sio": "SiO", "oh18cm": "OH", "cii": "C II", "hi21": "H I", "lya": "Lyα"}  # not just capitals
_LINES = {
    "lya": "Lyα",
    "hi21": "H I",
    "co10": "CO 1-0",
    "hcop10": "HCO+ 1-0",
    "cii158": "C II",
    "oh1665": "OH 1665",
}  # of `line: lya`
_LONGEST = 40  # characters of a transition; those of hyperfine files may have all quantum numbers


def transition_name(text):
    """'CO 1-0', 'OH F=1+-F=1-', as far as known; `text` gives the texts of a result by name."""
    if not text("molecule"):
        line = json.loads(text("model_resolved") or "{}").get("line")
        return _LINES.get(line.lower(), "") if isinstance(line, str) else ""
    name, transition = text("molecule"), " ".join((text("transition") or "").split())
    name = name.split(",")[0].split("  ")[0].strip()
    name = _BUILT_IN.get(name, name.upper() if name == name.lower() else name)
    if len(transition) > _LONGEST:
        transition = transition[: _LONGEST - 2] + " …"
    return f"{name} {transition}".strip()


def frequency_name(hertz):
    """115.271 GHz, 1420.41 MHz; from the far infrared on, the wavelength."""
    if hertz > 1e13:
        micron = 2.99792458e14 / hertz
        return f"{micron:.6g} \N{MICRO SIGN}m" if micron >= 1 else f"{1e3 * micron:.6g} nm"
    size, unit = next((pair for pair in ((1e9, "GHz"), (1e6, "MHz")) if hertz >= 3 * pair[0]), (1.0, "Hz"))
    return f"{hertz / size:.6g} {unit}"
