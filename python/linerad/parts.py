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


def _check_values(part):
    """Errors belong where the argument is given, not to the model that uses the part later. unyt arrays may have to be
    copied for that, so they wait."""
    for entry in fields(part):
        value = getattr(part, entry.name)
        if value is not None and not hasattr(value, "to_astropy"):
            entry.metadata["rule"](value, f"{type(part).__name__}.{entry.name}", {})


def dataclass(**options):
    """A part, whose arguments are checked. Part shows what is set, arrays by shape."""

    def make(cls):
        cls.__post_init__ = _check_values
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


def _three(cells, argument):
    """Numbers of cells along x, y and z."""
    try:
        found = [int(n) for n in cells]
        if len(found) != 3 or any(n != given for n, given in zip(found, cells)):
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(f"{argument}: expected three whole numbers such as (64, 64, 64), found {short(cells)}") from None
    return found


@dataclass(eq=False)
class Mesh(Part):
    """Where the gas is. Make one with :meth:`uniform`, :meth:`edges`, :meth:`shells`, :meth:`refined` or
    :meth:`bricks`, which describe their arguments; those of the class itself are what these functions fill in.

    Parameters
    ----------
    cells : three integers
        Cells along x, y and z; with ``refine``, of level 0. No default, unless ``edge`` or ``shell`` is given.
    size : three lengths
        Size of the whole mesh. Required with ``cells``.
    origin : three lengths
        Lower corner. Default: minus half the size, so that the mesh is centred on the origin.
    faces : str or dict
        'open' (the default), 'periodic' or 'reflecting', for all faces, or {'x': ..., 'y-': ...} for an axis or one
        face.
    refine : list of dict
        Regions with smaller cells. Default: none.
    brick : int
        Cells along each side of a brick of a refined mesh. Default: 1.
    brick_places : dict
        Level and position of each brick. Default: none.
    edge : dict
        Edges of the cells along each axis, lengths. Default: none, equal cells.
    shell : int or lengths
        Number of spherical shells, or their radii. Default: none, Cartesian cells.
    inner : length
        Inner radius of the first shell. Default: 0.
    outer : length
        Radius of the outermost shell. Required if ``shell`` is a number.
    spacing : str
        'linear' (the default) or 'log', of the shells.
    """

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

    @property
    def centres(self):
        """Centres of the cells: x, y and z, each with the shape of fields; on shells the radii."""
        from .model import mesh_centres

        return mesh_centres(self).to(self._unit())

    def _unit(self):
        """The unit in which the mesh was given."""
        given = (self.size, (self.edge or {}).get("x"), self.outer, self.shell)
        length = next(value for value in given if value is not None and not isinstance(value, int))
        first = length[0] if isinstance(length, (list, tuple)) else length
        return v.quantity(first, "length", "Mesh").unit

    @classmethod
    def uniform(cls, cells, size, origin=None, faces=None):
        """Equal cells.

        Parameters
        ----------
        cells : three integers
            Cells along x, y and z. Required.
        size : three lengths
            Size of the whole mesh. Required.
        origin : three lengths
            Lower corner. Default: minus half the size, so that the mesh is centred on the origin.
        faces : str or dict
            'open' (the default), 'periodic' or 'reflecting', for all faces, or {'x': ..., 'y-': ...} for an axis or
            one face.
        """
        return cls(cells=_three(cells, "Mesh.uniform: cells"), size=size, origin=origin, faces=faces)

    @classmethod
    def edges(cls, x, y, z, faces=None):
        """Cells between increasing edges along each axis.

        Parameters
        ----------
        x, y, z : arrays, length
            Edges of the cells, one more than cells. Required.
        faces : str or dict
            As for :meth:`uniform`. Default: 'open'.
        """
        return cls(edge={"x": x, "y": y, "z": z}, faces=faces)

    @classmethod
    def shells(cls, edges=None, *, number=None, inner=None, outer=None, spacing=None):
        """Spherical shells about the origin.

        Parameters
        ----------
        edges : array, length
            Radii of the spheres between shells, one more than shells. Required, or ``number`` and ``outer``.
        number : int
            How many, instead of ``edges``. Default: from the edges.
        inner : length
            With ``number``: inner radius of the first shell; inside is a cavity that light crosses freely. Default: 0.
        outer : length
            With ``number``: radius of the outermost sphere. Required there.
        spacing : str
            With ``number``: 'linear' (the default), or 'log' for radii in a constant ratio.
        """
        if (edges is None) == (number is None):
            raise InputError("Mesh.shells: give either the edges, or a number with outer (and inner)")
        return cls(shell=edges if number is None else int(number), inner=inner, outer=outer, spacing=spacing)

    @classmethod
    def refined(cls, cells, size, refine, brick=None, origin=None, faces=None):
        """A Cartesian mesh with smaller cells in some regions.

        Parameters
        ----------
        cells : three integers
            Cells of level 0 along x, y and z. Required.
        size : three lengths
            Size of the whole mesh. Required.
        refine : list of dict
            Regions and their levels: [{'sphere': {...}, 'levels': 2}, ...]. Required.
        brick : int
            Cells along each side of a brick, 1 to 64. Default: 1.
        origin : three lengths
            Lower corner. Default: minus half the size.
        faces : str or dict
            As for :meth:`uniform`. Default: 'open'.
        """
        cells = _three(cells, "Mesh.refined: cells")
        return cls(cells=cells, size=size, origin=origin, faces=faces, refine=refine, brick=brick)

    @classmethod
    def bricks(cls, level, position, cells, size, brick=1, origin=None, faces=None):
        """A mesh refined by another program. Fields have the shape (n, brick, brick, brick).

        Parameters
        ----------
        level : array (n) of integers
            Level of each brick, 0 for the coarsest. Required.
        position : array (n, 3) of integers
            Position of each brick, in bricks of its level. Required.
        cells : three integers
            Cells that the mesh would have on level 0. Required.
        size : three lengths
            Size of the whole mesh. Required.
        brick : int
            Cells along each side of a brick. Default: 1.
        origin : three lengths
            Lower corner. Default: minus half the size.
        faces : str or dict
            As for :meth:`uniform`. Default: 'open'.
        """
        places = {"level": level, "position": position}
        cells = _three(cells, "Mesh.bricks: cells")
        return cls(cells=cells, size=size, origin=origin, faces=faces, brick=int(brick), brick_places=places)

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
    """A two-level line, given by its constants. Built-in lines are given by name: ``Model(line='lya')``.

    Parameters
    ----------
    frequency : frequency
        Rest frequency. Required.
    einstein_a : rate, 1/s
        Einstein coefficient A of the line. Required.
    degeneracies : two numbers
        Statistical weights of the lower and the upper level. Required.
    mass : mass
        Of the atom or molecule. Required.
    gamma : rate, 1/s
        Total radiative rate out of both levels, which sets the damping. Default: ``einstein_a``.
    dipole_core : float, 0 to 1
        Dipole fraction of the phase function in the line core. Default: from the degeneracies.
    """

    frequency: object = _of(v.one("frequency"))
    einstein_a: object = _of(v.one("rate"))
    degeneracies: list = _of(v.several("number", 2))
    mass: object = _of(v.one("mass"))
    gamma: object = _of(v.one("rate"))
    dipole_core: float = _of(v.one("number"))


@dataclass(eq=False)
class Molecule(Part):
    """A line of a molecule with all its levels.

    Parameters
    ----------
    molecule : str
        A file in LAMDA format, or the name of a built-in molecule (:func:`molecules` lists them; they have no collision
        rates). Required.
    transition : str, int or list
        The line to transport and image, such as '1-0', or its number in the file, from 1. Several lines that overlap: a
        list; the common part of their labels, such as '1-0' for a hyperfine multiplet; or 'all'. Default: the first
        line.
    levels : int
        Use only this many of the lowest levels. Default: all.
    species : str
        Its name in the fields of a snapshot. Default: its formula, or the first word of the name in the file.
    range : list of two frequencies
        With ``transition='all'``: the lines from one to the other. Default: none.
    reference : str or int
        Of several lines, the one whose frequency is velocity 0. Default: the strongest.
    """

    molecule: str = _of(lambda value, argument, arrays: str(value))
    transition: object = _of(v.plain)
    levels: int = _of(v.plain)
    species: str = _of(v.plain)
    range: list = _of(v.several("frequency", 2))
    reference: object = _of(v.plain)


@dataclass(eq=False)
class Rotor(Part):
    """A linear molecule, given by its constants: levels, lines and line strengths, but no collision rates.

    Parameters
    ----------
    b : frequency
        Rotational constant B. Required.
    dipole : dipole moment
        In ``u.debye`` or C m. Required.
    mass : mass
        Of the molecule. Required.
    d : frequency
        Centrifugal distortion D. Default: 0.
    h : frequency
        Distortion of the next order, H. Default: 0.
    highest_j : int
        Levels run from J = 0 to this value. Default: 40.
    transition : str or int
        The line to transport and image, such as '1-0'. Default: the first line.
    levels : int
        Use only this many of the lowest levels. Default: all.
    """

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
    """The gas.

    A *field* is one value, an array with the shape of the mesh, or a dictionary as in a model file
    (``{'file': 'gas.h5', 'dataset': 'n'}``). All are astropy quantities, unless they are plain numbers.

    Parameters
    ----------
    temperature : field, temperature
        Kinetic temperature. Sets the thermal width and, for a molecule, LTE populations and collisions. Required,
        unless ``b`` is given.
    turbulence : field, velocity
        Motion inside cells, added in quadrature: b^2 = 2 k T / m + turbulence^2. Default: 0.
    b : field, velocity
        Doppler parameter in place of ``temperature`` and ``turbulence``. Default: from these.
    density : field, number density
        Of the lower level of the line or, for a molecule, of the molecule in all its levels. One of ``density``,
        ``opacity``, ``tau_centre``, ``tau_mean`` and ``abundance`` is required.
    opacity : field, 1/length
        Line-centre opacity, stimulated emission included, instead of a density. Default: none.
    tau_centre : float
        Line-centre optical depth from the centre of the mesh to its +x face; scales ``density`` or ``opacity`` if one
        of them is given as well. Default: none.
    tau_mean : float
        The same, averaged over the line profile: sqrt(pi) times ``tau_centre``. Default: none.
    upper_density : field, number density
        Of the upper level, for stimulated emission. Default: 0.
    damping : field, number
        Voigt parameter a. Default: from the natural width and b.
    velocity : three fields, velocity
        Bulk velocity: three values, or an array of shape (3, ...); on shells one field, positive outward. Default: 0.
    absorption : field, 1/length
        Grey absorption, as by dust. Default: 0.
    tau_absorption : float
        Absorption optical depth from the centre of the mesh to its +x face, instead of ``absorption``. Default: none.
    destruction : field, number from 0 to 1
        Probability that a scattering destroys the photon, or ``{'critical_density': 2400 / u.cm**3}``. Default: 0.
    abundance : field, number
        Of a molecule, relative to the H2 in ``colliders``, instead of ``density``. Default: none.
    colliders : dict of fields, number density
        Collision partners: H2, p-H2, o-H2, e, H, He, H+. Default: none.
    collider_rates : dict
        Use the rates of another partner: {'H': 'H2'}. Default: none.
    dust_temperature : field, temperature
        With a molecule, the grey absorber also emits as a blackbody. Default: it does not emit.
    """

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
    """A Gaussian spectrum of a source. Shifts are plain numbers in Doppler units, radio velocities or frequencies.

    Parameters
    ----------
    centre : shift
        Default: 0, line centre.
    sigma : shift
        Standard deviation. One of ``sigma`` and ``fwhm`` is required.
    fwhm : shift
        Full width at half maximum. Default: from ``sigma``.
    """

    centre: object = _of(v.one("shift"))
    sigma: object = _of(v.one("shift"))
    fwhm: object = _of(v.one("shift"))

    def write(self, argument, arrays):
        return {"gaussian": super().write(argument, arrays)}


@dataclass(eq=False)
class Monochromatic(Part):
    """A spectrum with all photons at one frequency.

    Parameters
    ----------
    at : shift
        A plain number in Doppler units (positive = blue), a radio velocity (positive = red) or a frequency. Default: 0,
        line centre.
    """

    at: object = _of(v.one("shift"), default=0)

    def write(self, argument, arrays):
        return {"monochromatic": super().write(argument, arrays)["at"]}


@dataclass(eq=False)
class Band(Part):
    """A flat spectrum.

    Parameters
    ----------
    start : shift
        One end: a plain number in Doppler units, a radio velocity or a frequency. Required.
    stop : shift
        The other end. Required.
    """

    start: object = _of(v.one("shift"), key="from")
    stop: object = _of(v.one("shift"), key="to")

    def write(self, argument, arrays):
        return {"band": super().write(argument, arrays)}


@dataclass(eq=False)
class Table(Part):
    """A spectrum as a table, interpolated linearly.

    Parameters
    ----------
    shift : list of shifts
        Increasing or decreasing: plain numbers in Doppler units, radio velocities or frequencies. Required.
    density : list of numbers
        Photons per unit frequency at these shifts, on any scale. Required.
    """

    shift: list = _of(v.several("shift"))
    density: list = _of(v.several("any"))

    def write(self, argument, arrays):
        return {"table": super().write(argument, arrays)}


@dataclass(eq=False, kw_only=True)
class Source(Part):
    """What all sources have in common: a spectrum and a strength.

    Parameters
    ----------
    spectrum : Gaussian, Monochromatic, Band, Table or 'local'
        Default: 'local', the Voigt profile of the gas where the photon is emitted.
    luminosity : photon rate or luminosity
        Photons per second or erg/s. Required.
    """

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
    """A point source.

    Parameters
    ----------
    position : three lengths
        Inside the mesh; on shells, their centre. Required.
    emission : str
        'isotropic' (the default), or 'beam' along ``direction``.
    direction : str or three numbers
        '+x', '-x', '+y', ... or a vector. Required with 'beam'.
    spectrum : Gaussian, Monochromatic, Band, Table or 'local'
        Default: 'local', the Voigt profile of the gas where the photon is emitted.
    luminosity : photon rate or luminosity
        Photons per second or erg/s. Required.
    frame : str
        Rest frame of the spectrum: 'mesh' or 'gas'. Default: 'mesh'; 'gas' for a local spectrum.
    """

    position: list = _of(v.several("length", 3))
    emission: str = _of(v.plain)
    direction: object = _of(v.direction)
    frame: str = _of(v.plain)

    kind = "point"


@dataclass(eq=False, kw_only=True)
class Plane(Source):
    """A shining plane across the whole mesh.

    Parameters
    ----------
    axis : str
        'x', 'y' or 'z': normal to the plane. Required.
    at : length
        Where along that axis. Required.
    emission : str
        'isotropic' (the default; both sides), 'lambertian' (cosine law, on one side) or 'beam'.
    direction : str or three numbers
        '+x', '-x', ... or a vector. Required unless 'isotropic'; for 'lambertian', the side.
    flux : photon or energy flux
        Per area of the plane, both sides together; instead of ``luminosity``. Default: from that.
    spectrum : Gaussian, Monochromatic, Band, Table or 'local'
        Default: 'local', the Voigt profile of the gas where the photon is emitted.
    luminosity : photon rate or luminosity
        Photons per second or erg/s. Required, or ``flux``.
    frame : str
        Rest frame of the spectrum: 'mesh' or 'gas'. Default: 'mesh'; 'gas' for a local spectrum.
    """

    axis: str = _of(v.plain)
    at: object = _of(v.one("length"))
    emission: str = _of(v.plain)
    direction: object = _of(v.direction)
    flux: object = _of(v.one("flux"))
    frame: str = _of(v.plain)

    kind = "plane"


@dataclass(eq=False, kw_only=True)
class Volume(Source):
    """Emission throughout the gas.

    Parameters
    ----------
    emissivity : field, any unit
        Only its shape matters; the luminosity sets the scale. Default: uniform.
    spectrum : Gaussian, Monochromatic, Band, Table or 'local'
        Default: 'local', the Voigt profile of the gas where the photon is emitted.
    luminosity : photon rate or luminosity
        Photons per second or erg/s. Required.
    frame : str
        Rest frame of the spectrum: 'mesh' or 'gas'. Default: 'gas'.
    """

    emissivity: object = _of(v.field("any"))
    frame: str = _of(v.plain)

    kind = "volume"


@dataclass(eq=False, kw_only=True)
class External(Source):
    """Isotropic radiation that enters through all open faces of the mesh.

    Parameters
    ----------
    flux : photon or energy flux
        Per area of open face. One of ``luminosity``, ``flux`` and ``intensity`` is required.
    intensity : photon or energy intensity
        Integrated over the spectrum. Default: from the strength given.
    spectrum : Gaussian, Monochromatic, Band, Table or 'local'
        Default: 'local', the Voigt profile of the gas where the photon is emitted.
    luminosity : photon rate or luminosity
        Photons per second or erg/s. Default: from the strength given.
    frame : str
        Rest frame of the spectrum: 'mesh' or 'gas'. Default: 'mesh'; 'gas' for a local spectrum.
    """

    flux: object = _of(v.one("flux"))
    intensity: object = _of(v.one("intensity"))
    frame: str = _of(v.plain)

    kind = "external"


@dataclass(eq=False, kw_only=True)
class Packets(Part):
    """A list of photon packets to start with.

    Parameters
    ----------
    position : array (n, 3), length
        Where they start. Required.
    direction : array (n, 3)
        Where they fly; any length but zero. Required.
    velocity : array (n), velocity
        Frequency as a radio velocity in the frame of the mesh, positive = red. Required.
    weight : array (n), rate
        Photons per second; packets are drawn in proportion. Required.
    """

    position: object = _of(v.array("length"))
    direction: object = _of(v.array("number"))
    velocity: object = _of(v.array("velocity"))
    weight: object = _of(v.array("rate"))

    def write(self, argument, arrays):
        return {"packets": super().write(argument, arrays)}


@dataclass(eq=False)
class Gas(Part):
    """Emission from the levels of a molecule, n x_u A_ul, without scattering: needs ``Run(packets=0)``. It takes no
    arguments.
    """

    def write(self, argument, arrays):
        return {"gas": {}}


@dataclass(eq=False, kw_only=True)
class Star(Part):
    """An unresolved blackbody, in addition to the emission of the levels of a molecule.

    Parameters
    ----------
    position : three lengths
        Inside the mesh; on shells, their centre. Required.
    radius : length
        At most half the width of its cell; on shells, the inner radius. Required.
    temperature : temperature
        Of the blackbody. Required.
    """

    position: list = _of(v.several("length", 3))
    radius: object = _of(v.one("length"))
    temperature: object = _of(v.one("temperature"))

    def write(self, argument, arrays):
        return {"star": super().write(argument, arrays)}


@dataclass(eq=False)
class Thermal(Part):
    """Photons created by collisions in the gas: destruction x opacity x B(T).

    Parameters
    ----------
    temperature : field, temperature
        T in B(T). Default: that of the medium.
    """

    temperature: object = _of(_temperature)

    def write(self, argument, arrays):
        return {"thermal": super().write(argument, arrays)}


# ---- populations ----


@dataclass(eq=False)
class Populations(Part):
    """How the level populations of a molecule are found (docs/populations.md).

    Parameters
    ----------
    method : str
        'lte' (the default), 'equilibrium', 'lvg', 'escape-probability', 'two-level' or 'given'.
    background : temperature
        Blackbody around the mesh, for all methods but 'lte' and 'given'. Default: 2.725 K.
    error : float
        Largest acceptable relative error of the populations that matter. Default: 1e-3.
    iterations : int
        At most this many. Default: 200.
    noise : float
        'equilibrium': noise that the choice of rays may leave in the populations. Default: 0.01.
    directions : int or 'auto'
        'equilibrium': number of ray directions. Default: 'auto', as many as ``noise`` needs.
    overlap : bool
        For 'lvg', 'escape-probability' and 'equilibrium': lines of the molecule that overlap see each other's light.
        Default: True.
    stimulated : bool
        Include stimulated emission in the opacity; False only with 'lte' and 'given'. Default: True.
    length : field, length
        'escape-probability': diameter of the sphere from which photons escape. Required there.
    inversion_limit : float
        Amplification in inverted lines is capped at this negative optical depth. Default: 1.
    given : array
        'given': fractions, or number densities, with the axes of the mesh and then levels. Required there.
    """

    method: str = _of(v.plain, default="lte")
    background: object = _of(v.one("temperature"))
    error: float = _of(v.plain)
    iterations: int = _of(v.plain)
    noise: float = _of(v.plain)
    directions: object = _of(v.plain)
    overlap: bool = _of(v.plain)
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
    """An observer: distant, with a ``direction`` (or ``theta`` and ``phi``), or nearby, with a ``position``.

    Parameters
    ----------
    name : str
        Used in file names. Default: 'camera1', 'camera2', ...
    direction : str or three numbers
        From the object to a distant observer: '+x', '-x', '+y', ... or a vector. Required, or ``theta`` or
        ``position``.
    theta : angle
        The direction by its angle to the z axis, 0 to 180 deg. Default: none.
    phi : angle
        With ``theta``: azimuth about the z axis, from the x axis. Default: 0.
    position : three lengths
        Of a nearby observer, who looks at ``centre``. Default: none.
    centre : three lengths
        The point at the centre of the image. Default: the centre of the mesh.
    offset : two lengths
        Of the image centre from ``centre``, to the right and up. Default: 0.
    roll : angle
        Rotates the up direction to the left; at 0, the default, up is +z, or +y for a view along z.
    field : one or two lengths
        Width and height of the image; angles for a nearby observer. Default: the whole mesh.
    pixels : one or two integers
        Width and height; one number is for the longer side. Default: 128.
    rays : int or 'auto'
        Rays along each side of a pixel. Default: 'auto', by the size of the cells.
    """

    name: str = _of(v.plain)
    direction: object = _of(v.direction)
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
    """Velocity channels of the cubes.

    Parameters
    ----------
    number : int
        How many. Required.
    range : two shifts
        Outer edges of the first and last channel, usually radio velocities (positive = receding). Required.
    samples : int or 'auto'
        Frequencies traced in each channel. Default: 'auto'.
    """

    number: int = _of(v.plain)
    range: list = _of(v.several("shift", 2))
    samples: object = _of(v.plain)


def _beam(value, argument, arrays):
    return v.plain(value, argument, arrays) if isinstance(value, (dict, str)) else v.scalar(value, "angle", argument)


def _background(value, argument, arrays):
    return value if isinstance(value, str) and value in ("none", "cmb") else v.scalar(value, "temperature", argument)


_UNITS = {  # words of a model file
    "K": u.K,
    "Jy/pixel": u.Jy / u.pix,
    "Jy/sr": u.Jy / u.sr,
    "Jy/beam": u.Jy / u.beam,
    "erg/s/cm^2/arcsec^2/Angstrom": u.erg / u.s / u.cm**2 / u.arcsec**2 / u.AA,
}


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
    """How images are made and written.

    Parameters
    ----------
    unit : str or astropy unit
        'K' (the default), 'Jy/pixel', 'Jy/sr', 'Jy/beam' or 'photon'. 'K' is the Rayleigh-Jeans brightness temperature.
    distance : length
        Of a distant observer; turns lengths into angles. Needed for ``beam``, 'Jy/pixel' and 'Jy/beam'. Default: none.
    beam : angle or dict
        FWHM of a Gaussian beam, or {'major': ..., 'minor': ..., 'angle': ...}. Default: none.
    position : dict
        Sky coordinates of the image centre, {'ra': ..., 'dec': ...}, angles. Default: 0, 0.
    velocity : velocity
        Systemic velocity, added to the velocities of the cubes. Default: 0.
    background : temperature or str
        Brightness of the sky behind the mesh; 'cmb' is 2.725 K. Default: 'none'.
    subtract_background : bool
        Subtract the background from the cubes. Default: False.
    moments : bool
        Write maps of moments 0, 1 and 2. Default: False.
    peak : bool
        Write a map of the peak. Default: False.
    spectrum : bool
        Write the spectrum of the whole image. Default: True.
    optical_depth : bool
        Make a cube of the optical depth. Default: False.
    column : bool
        Make a map of the column density of the molecule. Default: False.
    report : bool
        Report numbers of each image. Default: True.
    errors : bool
        Make a cube of the standard error of each pixel and channel. Default: False.
    emissivity : bool
        Store the emissivity, so that :func:`image` can make other images of the same run. Default: False.
    subcell : bool or dict
        Interpolate velocity and source function inside cells. Default: True.
    method : str
        'two-step' (the default), or 'peel-off' for comparison.
    """

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
    """What happens in a scattering, and how.

    Parameters
    ----------
    redistribution : str
        'exact' (the default); 'table-global', 'table-constant', 'approximate-voigt' and 'complete' are for comparison.
    phase : str
        'isotropic' (the default) or 'dipole'.
    recoil : bool
        Include the recoil of the atom. Default: False.
    absorption : str
        'continuous' (the default): packets lose weight; 'analog': they are absorbed whole.
    acceleration : str
        'auto' (the default): jump through deep gas if that saves time; 'jumps': always; 'none': follow every
        scattering; 'skip': core skipping, for comparison.
    trials : float
        Histories behind each row of the records that jumps are drawn from. Default: 65536.
    x_crit : float or 'auto'
        'skip': photons closer to line centre than this, in Doppler units, leave the core at once. Default: 'auto'.
    """

    redistribution: str = _of(v.plain)
    phase: str = _of(v.plain)
    recoil: bool = _of(v.plain)
    absorption: str = _of(v.plain)
    acceleration: str = _of(v.plain)
    trials: float = _of(v.plain)
    x_crit: object = _of(v.plain)


@dataclass(eq=False)
class Output(Part):
    """What a result contains.

    Parameters
    ----------
    fields : bool
        Mean intensity and scattering rate in each cell. Default: True.
    packets : bool
        A list of all escaped packets. Default: False.
    populations : bool
        Populations of all levels in each cell. Default: True, but False for 'lte' and 'given'.
    bins : int
        Bins of the escaped spectrum. Default: 1000.
    range : two shifts
        Limits of the escaped spectrum: plain numbers in Doppler units, radio velocities or frequencies. Default:
        automatic.
    directions : dict
        Bins of escape direction, {'mu': 8, 'phi': 1, 'axis': 'z'}. Default: one bin.
    reference_b : velocity
        Doppler parameter that defines x in the spectrum. Default: b of the gas, or its mean.
    sums : bool
        Keep the sums of each batch of packets, so that ``linerad merge`` can add other runs. Default: False.
    """

    fields: bool = _of(v.plain)
    packets: bool = _of(v.plain)
    populations: bool = _of(v.plain)
    bins: int = _of(v.plain)
    range: list = _of(v.several("shift", 2))
    directions: dict = _of(v.plain)
    reference_b: object = _of(v.one("velocity"))
    sums: bool = _of(v.plain)


@dataclass(eq=False)
class Run(Part):
    """How the run is done; :meth:`Model.run` overrides most of it.

    Parameters
    ----------
    packets : float
        Number of photon packets. Default: 1e5; 0 is for images of light that does not scatter.
    seed : int
        Of the random numbers. Default: 1.
    threads : int
        CPU threads. Default: 0, all.
    batches : int
        Independent groups of packets, which give the errors. Default: 32.
    memory : float, GiB
        Memory that a run may use. Default: 80 % of what is free.
    device : str
        'auto' (the default: a GPU if there is one), 'cpu', 'cuda', 'cuda:1', or several GPUs: 'cuda:0,1' or 'cuda:all'.
    precision : str
        'mixed' (the default: single with double sums) or 'double'.
    scheduling : str
        'queue' (the default), or 'static' for timing comparisons.
    deterministic : bool
        Repeat images and populations to the last bit. Default: False.
    max_steps : float
        Draws of random numbers and crossings of faces after which a packet is given up as stuck. Default: 4e9.
    until : dict
        Stop when a number of the summary is known well enough: {'quantity': 'median_abs_x', 'error': 1e-3}; ``packets``
        is then the most. Default: none, follow all packets.
    """

    packets: float = _of(v.plain)
    seed: int = _of(v.plain)
    threads: int = _of(v.plain)
    batches: int = _of(v.plain)
    memory: float = _of(v.plain)
    device: str = _of(v.plain)
    precision: str = _of(v.plain)
    scheduling: str = _of(v.plain)
    deterministic: bool = _of(v.plain)
    max_steps: float = _of(v.plain)
    until: dict = _of(v.plain)


@dataclass(eq=False)
class OneLine(Part):
    """One of several lines of the same gas, for ``Model(lines=[...])``. All but ``name`` and ``line`` are what
    differs for it.

    Parameters
    ----------
    name : str
        Used in file names. Required.
    line : Line, Molecule, Rotor or str
        Which line. Required.
    medium : Medium
        Default: as for the others.
    populations : Populations or str
        Default: as for the others.
    sources : source or list of sources
        Default: as for the others.
    physics : Physics
        Default: as for the others.
    output : Output
        Default: as for the others.
    channels : Channels
        Default: as for the others.
    image : Image
        Default: as for the others.
    run : Run
        Default: as for the others.
    """

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
