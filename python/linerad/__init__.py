"""linerad: Monte Carlo transport of spectral-line photons.

    import astropy.units as u
    import linerad as lr

    model = lr.Model(
        mesh=lr.Mesh.uniform((64, 1, 1), [2, 1, 1] * u.pc, faces={"x": "open", "y": "periodic", "z": "periodic"}),
        line="lya",
        medium=lr.Medium(temperature=1e4 * u.K, tau_mean=2000, damping=0.149),
        sources=lr.Plane(axis="x", at=0 * u.pc, spectrum=lr.Monochromatic(0), luminosity=1 / u.s),
    )
    result = model.run(packets=1e5)
    print(result.summary)

docs/python.md is a tutorial; the C library does all the work.
"""

from . import fit
from ._library import lib as _lib
from ._library import text as _text
from .cloud import Cloud, cloud
from .cube import Cube
from .errors import (
    ArgumentError,
    DeviceError,
    Error,
    FileError,
    InputError,
    InternalError,
    Interrupted,
    LineradWarning,
    OutOfMemory,
    UnitsError,
)
from .model import Model
from .molecule import MoleculeData, Partner, molecule, molecules
from .parts import (
    Band,
    Camera,
    Channels,
    External,
    Gas,
    Gaussian,
    Image,
    Line,
    Medium,
    Mesh,
    Molecule,
    Monochromatic,
    OneLine,
    Output,
    Packets,
    Physics,
    Plane,
    Point,
    Populations,
    Rotor,
    Run,
    Star,
    Table,
    Thermal,
    Volume,
)
from .radex import Parcels, radex
from .result import Estimate, Result, Spectrum, Summary, image
from .view import Page, view
from .yt_gas import YtGas, from_yt

__version__ = _text(_lib.lr_version())


def info():
    """Version, devices and vector width of this installation, as text."""
    from ._context import Context
    from ._library import ffi, take_text

    found = ffi.new("char **")
    Context().call(_lib.lr_system_report, found)
    return take_text(found[0])
