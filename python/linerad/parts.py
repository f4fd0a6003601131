"""The parts of a model. They only write the structure of a model file (docs/model_reference.md lists every key); arrays
stay in place until the library reads them."""

import dataclasses
from dataclasses import field, fields

import astropy.units as u
import numpy as np

from . import _values as v
from ._arguments import checked
from ._show import short
from .errors import InputError


def dataclass(**options):
    """A part, whose arguments are checked. Part shows what is set, arrays by shape."""

    def make(cls):
        made = dataclasses.dataclass(cls, repr=False, **options)
        made.__init__ = checked(cls.__name__)(made.__init__)
        for name, member in list(vars(cls).items()):
            if isinstance(member, classmethod):
                setattr(made, name, classmethod(checked(f"{cls.__name__}.{name}")(member.__func__)))
        return made

    return make


def _of(rule, default=None, key=None):
    """A key of a section; None leaves it out."""
    return field(default=default, metadata={"rule": rule, "key": key})


def write(part, argument, arrays):
    """A section of a model file from a part, a dictionary, a word or a list of these."""
    if isinstance(part, Part):
        return part.write(argument, arrays)
    if isinstance(part, (list, tuple)):
        return [write(item, f"{argument}[{i}]", arrays) for i, item in enumerate(part)]
    return v.plain(part, argument, arrays)


class Part:
    """Writes its fields, each by its rule."""

    def __repr__(self):
        given = ((entry.name, getattr(self, entry.name)) for entry in fields(self))
        shown = (f"{name}={short(value)}" for name, value in given if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"

    def write(self, argument, arrays):
        node = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None:
                key = entry.metadata["key"] or entry.name
                node[key] = entry.metadata["rule"](value, f"{argument}.{entry.name}", arrays)
        return node


# ---- mesh ----


@dataclass(eq=False)
class Mesh(Part):
    """Made by Mesh.uniform, .edges, .shells, .refined or .bricks."""

    cells: list = _of(v.plain)
    size: list = _of(v.several("length", 3))
    origin: list = _of(v.several("length", 3))
    faces: object = _of(v.plain)
    refine: list = _of(v.plain)
    brick: int = _of(v.plain)
    brick_places: dict = _of(
        lambda value, argument, arrays: {
            "level": v.whole_array(value["level"], f"{argument}.level", arrays),
            "position": v.whole_array(value["position"], f"{argument}.position", arrays),
        },
        key="bricks",
    )
    edge: dict = _of(
        lambda value, argument, arrays: {
            key: v.array("length")(item, f"{argument}.{key}", arrays) for key, item in value.items()
        },
        key="edges",
    )
    shell: object = _of(
        lambda value, argument, arrays: (
            value if isinstance(value, int) else {"edges": v.array("length")(value, argument, arrays)}
        ),
        key="shells",
    )
    inner: object = _of(v.one("length"))
    outer: object = _of(v.one("length"))
    spacing: str = _of(v.plain)

    @classmethod
    def uniform(cls, cells, size, origin=None, faces=None):
        """Equal cells. `size` is that of the whole mesh; without `origin`, its lower corner, it is centred on the
        origin."""
        return cls(cells=[int(n) for n in cells], size=size, origin=origin, faces=faces)

    @classmethod
    def edges(cls, x, y, z, faces=None):
        """Cells between increasing edges along each axis."""
        return cls(edge={"x": x, "y": y, "z": z}, faces=faces)

    @classmethod
    def shells(cls, edges=None, *, number=None, inner=None, outer=None, spacing=None):
        """Spherical shells between radii, or `number` of them from `inner` to `outer`, spaced 'linear' or 'log'."""
        if (edges is None) == (number is None):
            raise InputError("Mesh.shells: give either the edges, or a number with outer (and inner)")
        return cls(shell=edges if number is None else int(number), inner=inner, outer=outer, spacing=spacing)

    @classmethod
    def refined(cls, cells, size, refine, brick=None, origin=None, faces=None):
        """Level-0 cells, refined in regions: [{'sphere': {...}, 'levels': 2}, ...]."""
        return cls(cells=[int(n) for n in cells], size=size, origin=origin, faces=faces, refine=refine, brick=brick)

    @classmethod
    def bricks(cls, level, position, cells, size, brick=1, origin=None, faces=None):
        """Level (n) and position (n, 3), in bricks of that level, of each brick of `brick`^3 cells. `cells` is the
        number the mesh would have on level 0. Fields have the shape (n, brick, brick, brick)."""
        places = {"level": level, "position": position}
        return cls(
            cells=[int(n) for n in cells], size=size, origin=origin, faces=faces, brick=int(brick), brick_places=places
        )

    @property
    def shape(self):
        """Shape of fields; None if only the library knows it."""
        if self.edge:
            return tuple(len(edge) - 1 for edge in self.edge.values())
        if self.shell is not None:
            return (self.shell,) if isinstance(self.shell, int) else (len(self.shell) - 1,)
        if self.brick_places:
            return (len(self.brick_places["level"]),) + 3 * (self.brick,)
        return None if self.refine else tuple(self.cells)


# ---- line ----


@dataclass(eq=False)
class Line(Part):
    """A two-level line, by its constants. Built-in lines are given by name: Model(line='lya')."""

    frequency: object = _of(v.one("frequency"))
    einstein_a: object = _of(v.one("rate"))
    degeneracies: list = _of(v.several("number", 2))
    mass: object = _of(v.one("mass"))
    gamma: object = _of(v.one("rate"))
    dipole_core: float = _of(v.one("number"))


@dataclass(eq=False)
class Molecule(Part):
    """A line of a molecule with all its levels: a file in LAMDA format, or a built-in name."""

    molecule: str = _of(lambda value, argument, arrays: str(value))
    transition: object = _of(v.plain)
    levels: int = _of(v.plain)


@dataclass(eq=False)
class Rotor(Part):
    """A linear molecule by its constants."""

    b: object = _of(v.one("frequency"))
    dipole: object = _of(v.one("dipole"))
    mass: object = _of(v.one("mass"))
    d: object = _of(v.one("frequency"))
    h: object = _of(v.one("frequency"))
    highest_j: int = _of(v.plain)
    transition: object = _of(v.plain)
    levels: int = _of(v.plain)

    def write(self, argument, arrays):
        node = super().write(argument, arrays)
        outside = {key: node.pop(key) for key in ("transition", "levels") if key in node}
        return {"rotor": node, **outside}


# ---- medium ----


def _colliders(value, argument, arrays):
    return {name: v.field("density")(item, f"{argument}.{name}", arrays) for name, item in value.items()}


def _temperature(value, argument, arrays):
    return v.field("temperature")(value, argument, arrays)


@dataclass(eq=False)
class Medium(Part):
    """The gas. Fields are one value, an array with the shape of the mesh, or a dictionary as in a model file."""

    temperature: object = _of(_temperature)
    turbulence: object = _of(v.field("velocity"))
    b: object = _of(v.field("velocity"))
    density: object = _of(v.field("density"))
    opacity: object = _of(v.field("inverse length"))
    tau_centre: float = _of(v.one("number"))
    tau_mean: float = _of(v.one("number"))
    upper_density: object = _of(v.field("density"))
    damping: object = _of(v.field("number"))
    velocity: object = _of(v.vector_field("velocity"))
    absorption: object = _of(v.field("inverse length"))
    tau_absorption: float = _of(v.one("number"))
    destruction: object = _of(v.field("number"))
    abundance: object = _of(v.field("number"))
    colliders: dict = _of(_colliders)
    collider_rates: dict = _of(v.plain)
    dust_temperature: object = _of(v.field("temperature"))


# ---- sources ----


@dataclass(eq=False)
class Gaussian(Part):
    """A spectrum; frequencies are plain numbers in Doppler units, radio velocities or frequencies."""

    centre: object = _of(v.one("shift"))
    sigma: object = _of(v.one("shift"))
    fwhm: object = _of(v.one("shift"))

    def write(self, argument, arrays):
        return {"gaussian": super().write(argument, arrays)}


@dataclass(eq=False)
class Monochromatic(Part):
    at: object = _of(v.one("shift"), default=0)

    def write(self, argument, arrays):
        return {"monochromatic": super().write(argument, arrays)["at"]}


@dataclass(eq=False)
class Band(Part):
    start: object = _of(v.one("shift"), key="from")
    stop: object = _of(v.one("shift"), key="to")

    def write(self, argument, arrays):
        return {"band": super().write(argument, arrays)}


@dataclass(eq=False)
class Table(Part):
    """Photons per unit frequency at increasing or decreasing shifts, on any scale."""

    shift: list = _of(v.several("shift"))
    density: list = _of(v.several("any"))

    def write(self, argument, arrays):
        return {"table": super().write(argument, arrays)}


@dataclass(eq=False, kw_only=True)
class Source(Part):
    """A source with a spectrum and a strength."""

    spectrum: object = _of(write, default="local")
    luminosity: object = _of(v.one("luminosity"))

    kind = ""
    outside = ("spectrum", "luminosity", "flux", "intensity", "frame")

    def write(self, argument, arrays):
        node = super().write(argument, arrays)
        outside = {key: node.pop(key) for key in self.outside if key in node}
        if "frame" in outside:
            frame = outside.pop("frame")
            spectrum = outside.get("spectrum")
            outside["spectrum"] = {**({spectrum: {}} if isinstance(spectrum, str) else spectrum), "frame": frame}
        return {self.kind: node, **outside}


@dataclass(eq=False, kw_only=True)
class Point(Source):
    position: list = _of(v.several("length", 3))
    emission: str = _of(v.plain)
    direction: object = _of(v.plain)
    frame: str = _of(v.plain)

    kind = "point"


@dataclass(eq=False, kw_only=True)
class Plane(Source):
    axis: str = _of(v.plain)
    at: object = _of(v.one("length"))
    emission: str = _of(v.plain)
    direction: object = _of(v.plain)
    flux: object = _of(v.one("flux"))
    frame: str = _of(v.plain)

    kind = "plane"


@dataclass(eq=False, kw_only=True)
class Volume(Source):
    """Only the shape of `emissivity` matters; the luminosity sets the scale."""

    emissivity: object = _of(v.field("any"))
    frame: str = _of(v.plain)

    kind = "volume"


@dataclass(eq=False, kw_only=True)
class External(Source):
    """Isotropic radiation from around the mesh."""

    flux: object = _of(v.one("flux"))
    intensity: object = _of(v.one("intensity"))
    frame: str = _of(v.plain)

    kind = "external"


@dataclass(eq=False, kw_only=True)
class Packets(Part):
    """A list of packets: (n, 3), (n, 3), (n) and (n); velocities are radio velocities, weights photon rates."""

    position: object = _of(v.array("length"))
    direction: object = _of(v.array("number"))
    velocity: object = _of(v.array("velocity"))
    weight: object = _of(v.array("rate"))

    def write(self, argument, arrays):
        return {"packets": super().write(argument, arrays)}


@dataclass(eq=False)
class Gas(Part):
    """Emission from the levels of a molecule."""

    def write(self, argument, arrays):
        return {"gas": {}}


@dataclass(eq=False, kw_only=True)
class Star(Part):
    """An unresolved blackbody."""

    position: list = _of(v.several("length", 3))
    radius: object = _of(v.one("length"))
    temperature: object = _of(v.one("temperature"))

    def write(self, argument, arrays):
        return {"star": super().write(argument, arrays)}


@dataclass(eq=False)
class Thermal(Part):
    """Photons created by collisions in the gas."""

    temperature: object = _of(_temperature)

    def write(self, argument, arrays):
        return {"thermal": super().write(argument, arrays)}


# ---- populations ----


@dataclass(eq=False)
class Populations(Part):
    """How the level populations are found. `given` is an array of fractions or densities, with one more axis than
    fields."""

    method: str = _of(v.plain, default="lte")
    background: object = _of(v.one("temperature"))
    error: float = _of(v.plain)
    iterations: int = _of(v.plain)
    noise: float = _of(v.plain)
    directions: object = _of(v.plain)
    stimulated: bool = _of(v.plain)
    length: object = _of(v.field("length"))
    inversion_limit: float = _of(v.plain)
    given: object = _of(lambda value, argument, arrays: _given(value, argument, arrays), key="array")


def _given(value, argument, arrays):
    value = v.from_unyt(value)
    plain = not hasattr(value, "unit")
    return v.array("number" if plain or value.unit.is_equivalent("") else "density")(value, argument, arrays)["array"]


# ---- images ----


def _field_of_view(value, argument, arrays):
    """Lengths for a distant observer, angles for a nearby one: either is valid here, and the library checks."""
    found = v.quantity(value if not isinstance(value, (list, tuple)) else value[0], "any", argument)
    dimension = "angle" if found.unit.is_equivalent("rad") else "length"
    return v.several(dimension, 2, or_one=True)(value, argument, arrays)


@dataclass(eq=False)
class Camera(Part):
    """A distant observer has a direction (or theta and phi), a nearby one a position."""

    name: str = _of(v.plain)
    direction: object = _of(v.plain)
    theta: object = _of(v.one("angle"))
    phi: object = _of(v.one("angle"))
    position: list = _of(v.several("length", 3))
    centre: list = _of(v.several("length", 3))
    offset: list = _of(v.several("length", 2))
    roll: object = _of(v.one("angle"))
    field: object = _of(_field_of_view)
    pixels: object = _of(v.plain)
    rays: object = _of(v.plain)


@dataclass(eq=False)
class Channels(Part):
    number: int = _of(v.plain)
    range: list = _of(v.several("shift", 2))
    samples: object = _of(v.plain)


def _beam(value, argument, arrays):
    return v.plain(value, argument, arrays) if isinstance(value, (dict, str)) else v.scalar(value, "angle", argument)


def _background(value, argument, arrays):
    return value if isinstance(value, str) and value in ("none", "cmb") else v.scalar(value, "temperature", argument)


_UNITS = {"K": u.K, "Jy/pixel": u.Jy / u.pix, "Jy/sr": u.Jy / u.sr, "Jy/beam": u.Jy / u.beam}  # words of a model file


def image_unit(value, argument, arrays):
    """A word, or the equivalent astropy unit."""
    if isinstance(value, str):
        return value
    if isinstance(value, u.UnitBase):
        found = next((word for word, unit in _UNITS.items() if value == unit), None)
        if found:
            return found
    shown = f"'{value}'" if isinstance(value, u.UnitBase) else type(value).__name__
    raise InputError(f"{argument}: {shown} is not a unit of images; valid here: {', '.join(_UNITS)}, photon")


@dataclass(eq=False)
class Image(Part):
    """How images are made and written. `unit` is a word as in a model file, or the equivalent astropy unit."""

    unit: object = _of(image_unit)
    distance: object = _of(v.one("length"))
    beam: object = _of(_beam)
    position: dict = _of(v.plain)
    velocity: object = _of(v.one("velocity"))
    background: object = _of(_background)
    subtract_background: bool = _of(v.plain)
    moments: bool = _of(v.plain)
    peak: bool = _of(v.plain)
    spectrum: bool = _of(v.plain)
    optical_depth: bool = _of(v.plain)
    column: bool = _of(v.plain)
    report: bool = _of(v.plain)
    errors: bool = _of(v.plain)
    emissivity: bool = _of(v.plain)
    subcell: object = _of(v.plain)
    method: str = _of(v.plain)


# ---- the rest ----


@dataclass(eq=False)
class Physics(Part):
    redistribution: str = _of(v.plain)
    phase: str = _of(v.plain)
    recoil: bool = _of(v.plain)
    absorption: str = _of(v.plain)
    acceleration: str = _of(v.plain)
    trials: float = _of(v.plain)
    x_crit: object = _of(v.plain)


@dataclass(eq=False)
class Output(Part):
    fields: bool = _of(v.plain)
    packets: bool = _of(v.plain)
    populations: bool = _of(v.plain)
    bins: int = _of(v.plain)
    range: list = _of(v.several("shift", 2))
    directions: dict = _of(v.plain)
    reference_b: object = _of(v.one("velocity"))


@dataclass(eq=False)
class Run(Part):
    packets: float = _of(v.plain)
    seed: int = _of(v.plain)
    threads: int = _of(v.plain)
    batches: int = _of(v.plain)
    memory: float = _of(v.plain)
    device: str = _of(v.plain)
    precision: str = _of(v.plain)
    scheduling: str = _of(v.plain)


@dataclass(eq=False)
class OneLine(Part):
    """One of several lines of the same gas (Model(lines=[...])): a name, the line, and what differs for it."""

    name: str = _of(v.plain)
    line: object = _of(write)
    medium: object = _of(write)
    populations: object = _of(write)
    sources: object = _of(write)
    physics: object = _of(write)
    output: object = _of(write)
    channels: object = _of(write)
    image: object = _of(write)
    run: object = _of(write)


def check_shapes(mesh, arrays):
    """Checks for wrong shapes before anything is loaded. `arrays` are those of the medium."""
    shape = mesh.shape if isinstance(mesh, Mesh) else None
    for name, (values, _) in arrays.items():
        wanted = (3, *(shape or ())) if name == "medium.velocity" and shape and len(shape) > 1 else shape
        if shape and name.startswith("medium.") and np.shape(values) != wanted:
            raise InputError(f"{name}: the array has shape {np.shape(values)}; the mesh needs {wanted}")
