"""A model, from parts and arrays or from a file, and its run."""

import json
import os
import re
import warnings
import weakref

import astropy.units as u
import numpy as np

from . import _files, _progress, _values, parts
from ._arguments import checked
from ._context import Context
from ._library import ffi, lib, take_text, text
from ._memory import lend
from ._show import short
from .errors import InputError, Interrupted, LineradWarning
from .result import Result

_SECTIONS = (
    "snapshot", "mesh", "line", "lines", "medium", "sources", "populations", "physics", "output", "channels", "cameras",
    "image", "run",
)  # fmt: skip


def _settings(settings):
    """'key=value' texts from a map, a list of them or one. Strings are YAML, as on the command line."""
    if isinstance(settings, dict):
        return tuple(f"{key}={_setting(key, value)}" for key, value in settings.items())
    if isinstance(settings, str):
        return (settings,)
    if not isinstance(settings, (list, tuple, type(None))):
        raise InputError(f"settings: expected a dictionary such as {{'run.seed': 3}}, found {type(settings).__name__}")
    return tuple(str(setting) for setting in settings or ())


def _setting(key, value):
    write = parts.image_unit if isinstance(value, u.UnitBase) else _values.plain
    written = write(value, key, {})
    return written if isinstance(written, str) else json.dumps(written)


_alive = weakref.WeakKeyDictionary()  # texts that arrays of pointers point to


def _texts(settings):
    """The same for C: an array of strings, and their number."""
    texts = [ffi.new("char[]", setting.encode()) for setting in settings]
    pointers = ffi.new("char *[]", texts or [ffi.NULL])
    _alive[pointers] = texts
    return pointers, len(texts)


class Model:
    """A model. Sections are parts (:class:`Mesh`, :class:`Medium`, ...), dictionaries or words, with the names and
    meanings of a model file (docs/model_reference.md).

    Arrays are read by the library directly from memory when the model is first used, and again when a run changes
    settings; they are neither copied nor written to, and should not change in between.

    Parameters
    ----------
    mesh : Mesh
        Where the gas is. Required, unless there is a snapshot.
    line : str, Line, Molecule, Rotor or dict
        Which line: a built-in one such as 'lya', constants, or a line of a molecule; or a group of atomic lines
        (docs/atoms.md): a built-in one such as 'mgii' or {'group': 'lyman_alpha_fine', 'deuterium': 3e-5}, or
        {'group': [...]} with the constants of each. Required, or ``lines``.
    medium : Medium
        The gas. Default: everything is read from the snapshot.
    sources : source or list of sources
        Where photons come from: :class:`Point`, :class:`Plane`, :class:`Volume`, :class:`External`, :class:`Packets`,
        :class:`Thermal`, :class:`Gas` or :class:`Star`. Required; for a molecule the default is :class:`Gas`.
    populations : Populations or str
        How level populations are found. Default: 'lte'.
    physics : Physics
        What happens in a scattering. Default: that of the class.
    output : Output
        What the result contains. Default: that of the class.
    channels : Channels
        Velocity channels. Required with ``cameras``.
    cameras : Camera or list of Camera
        Observers. Default: none, no images.
    image : Image
        How images are made. Default: that of the class.
    run : Run
        Number of packets, device and so on. Default: that of the class.
    snapshot : str or dict
        A file with mesh and fields (docs/model_format.md). Default: none.
    lines : list of OneLine
        Several lines of the same gas, instead of ``line``. Default: none.
    settings : dict or list of str
        Changes as by ``--set``: {'run.seed': 3}. Default: none.
    folder : str
        Where file names begin. Default: the current directory.
    name : str
        Of the model, in messages. Default: 'model'.
    """

    @checked("Model")
    def __init__(
        self,
        *,
        mesh=None,
        line=None,
        medium=None,
        sources=None,
        populations=None,
        physics=None,
        output=None,
        channels=None,
        cameras=None,
        image=None,
        run=None,
        snapshot=None,
        lines=None,
        settings=(),
        folder=None,
        name="model",
    ):
        given = locals()
        if sources is not None and not isinstance(sources, (list, tuple)):
            given["sources"] = [sources]
        if cameras is not None and not isinstance(cameras, (list, tuple)):
            given["cameras"] = [cameras]
        self._arrays = {}
        self._path = None
        self._name, self._folder = str(name), os.fspath(folder) if folder is not None else os.getcwd()
        self._settings = _settings(settings)
        self.structure = {
            key: parts.write(given[key], key, self._arrays) for key in _SECTIONS if given[key] is not None
        }
        parts.check_shapes(mesh, self._arrays)
        self._document = self._loaded = None

    @classmethod
    def load(cls, path, settings=()):
        """A model from a file. It is read now, and again only when it has changed.

        Parameters
        ----------
        path : str
            A model file (YAML). Required.
        settings : dict or list of str
            Changes as by ``--set``: {'medium.tau_mean': 8000}, or ['medium.tau_mean=8000']. Default: none.
        """
        model = cls.__new__(cls)
        model._arrays, model._path, model._name, model._folder = {}, os.fspath(path), os.fspath(path), None
        model._settings = _settings(settings)
        model.structure = model._document = model._loaded = None
        for line in model.lines or [None]:
            model._pointer(line=line)
        return model

    @property
    def lines(self):
        """Names of the lines of a model with several lines; otherwise empty."""
        if self.structure is not None:
            return [str(line.get("name")) for line in self.structure.get("lines", [])]
        document = self._read(Context(), depth=4)
        names = [text(lib.lr_document_line(document, i)) for i in range(lib.lr_document_model_count(document))]
        return [name for name in names if name]

    @property
    def yaml(self):
        """The model as the text of a model file; arrays are named, not written."""
        if self.structure is None:
            return text(lib.lr_document_text(self._read(Context(), depth=4)))
        return _values.yaml_text(self.structure)

    @property
    def arrays(self):
        """The arrays that `yaml` names."""
        return {name: values for name, (values, _) in self._arrays.items()}

    def __getstate__(self):
        """What the library has loaded is not copied: another process loads it again."""
        return {**self.__dict__, "_document": None, "_loaded": None}

    def __repr__(self):
        if self.structure is None:
            return f"<linerad.Model: {self._path}>"
        words = [f"{key}: {short(value)}" for key, value in self.structure.items()]
        return "\n  ".join(["<linerad.Model", *words]) + ">"

    def _say(self, message):
        """A model made of parts has no lines and columns: only the key, with [0] for items of lists."""
        found = re.search(rf"\b{re.escape(self._name)}:\d+:\d+: (?P<key>[a-z_]+(\.\w+)*: )?", message)
        if not found:
            return message
        name = "" if self._name == "model" and found["key"] else f"{self._name}: "
        key = re.sub(r"\.(\d+)", r"[\1]", found["key"] or "")
        return message[: found.start()] + name + key + message[found.end() :]

    def _read(self, context, depth):
        """The document in the library, with the settings of the model: parsed once, and again when the file or the
        structure has changed."""
        seen = _files.stamp(self._path) if self._path else self.yaml
        if self._document is None or seen is not None and seen != self._document[0]:
            made = ffi.new("lr_document **")
            if self._path:
                arguments = [lib.lr_document_load, self._path.encode()]
            else:
                arguments = [lib.lr_document_parse, self._name.encode(), seen.encode(), self._folder.encode()]
            self._document = self._loaded = None
            context.call(*arguments, *_texts(self._settings), made, depth=depth + 1)
            self._document = seen, ffi.gc(made[0], lib.lr_document_free)
        return self._document[1]

    def _pointer(self, settings=(), line=None, context=None, depth=4):
        """The model in the library, made again if the document, the settings or the line changed."""
        context = context or Context()
        if not self._path:
            context.say = self._say
        document, key = self._read(context, depth), (tuple(settings), line)
        if line is None and len(self.lines) > 1:
            raise InputError(f"line: this model has several lines; give line=, one of {', '.join(self.lines)}")
        if self._loaded and self._loaded[0] == key:
            return self._loaded[1]
        self._loaded = None
        changed, made = ffi.new("lr_document **"), ffi.new("lr_model **")
        context.call(lib.lr_document_change, document, *_texts(settings), changed, depth=depth)
        document = ffi.gc(changed[0], lib.lr_document_free)
        structs, keep = lend(self._arrays)
        for index in range(len(self._arrays)):
            context.call(lib.lr_document_lend, document, structs + index, depth=depth)
        context.call(lib.lr_model_create, document, line.encode() if line else ffi.NULL, made, depth=depth)
        del document, keep
        self._loaded = (key, ffi.gc(made[0], lib.lr_model_free))
        return self._loaded[1]

    def check(self, line=None):
        """Loads the model completely and returns a report of how it was understood, in physical units.

        Parameters
        ----------
        line : str
            Which of several lines, by name. Default: the only one.
        """
        context, report = Context(), ffi.new("char **")
        context.call(lib.lr_model_report, self._pointer(line=line, context=context), report)
        return take_text(report[0])

    @checked("run", otherwise="settings={...} takes any key of a model file")
    def run(
        self,
        packets=None,
        *,
        seed=None,
        threads=None,
        device=None,
        precision=None,
        progress=None,
        settings=(),
        line=None,
    ):
        """Follows photons, solves for populations, makes images: whatever the model specifies. Returns a
        :class:`Result`.

        Ctrl-C stops within about a second and raises :class:`Interrupted`, a KeyboardInterrupt, whose ``result``
        holds the packets finished so far (None if there are none). A second Ctrl-C quits at once.

        Parameters
        ----------
        packets : float
            Number of photon packets. Default: that of the model, 1e5.
        seed : int
            Of the random numbers. Default: that of the model, 1.
        threads : int
            CPU threads; 0 is all. Default: that of the model, 0.
        device : str
            'auto', 'cpu', 'cuda', 'cuda:1', or several GPUs: 'cuda:0,1' or 'cuda:all'. Default: that of the model,
            'auto'.
        precision : str
            'mixed' or 'double'. Default: that of the model, 'mixed'.
        progress : function or class
            A function of (what, done, total, seconds), a class like ``tqdm.tqdm``, or False for none. Default: progress
            is shown in terminals and notebooks.
        settings : dict or list of str
            Any other changes, as in :meth:`load`. Default: none.
        line : str
            Which of several lines, by name. Default: the only one.
        """
        chosen = {"packets": packets, "seed": seed, "threads": threads, "device": device, "precision": precision}
        short = [f"run.{key}={_option(key, value)}" for key, value in chosen.items() if value is not None]
        context = Context(_bar(progress))
        model = self._pointer(_settings(settings) + tuple(short), line, context, depth=5)
        made = ffi.new("lr_result **")
        try:
            stopped = context.run(lib.lr_run, model, made, depth=4)
        finally:
            context.finish()
        result = Result._own(made[0])
        if stopped:
            raise Interrupted(f"stopped after {result.summary.partial or 'all packets'}", result)
        return result


def _option(key, value):
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"{key}: expected a number or a word, found {value}")
    if isinstance(value, (int, np.integer)):
        return int(value)
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def mesh_centres(mesh):
    """Centres of the cells of a mesh, in cm, from the library: it alone knows where a refined mesh is refined."""
    gas = {"b": "1 km/s", "opacity": "1 1/pc", "absorption": "1 1/pc"}
    light = {"volume": {}, "spectrum": "local", "luminosity": "1 photon/s"}
    model = Model(mesh=mesh, line="lya", medium=gas, sources=[light], name="mesh")
    shape, rank, made = ffi.new("int[4]"), ffi.new("int *"), ffi.new("double **")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LineradWarning)  # of the gas, which does not matter
        Context().call(lib.lr_model_centres, model._pointer(), shape, rank, made)
    shape = tuple(shape[0 : rank[0]])
    whole = shape if len(shape) == 1 else (3, *shape)
    try:
        values = np.frombuffer(ffi.buffer(made[0], 8 * int(np.prod(whole))), dtype=float).reshape(whole).copy()
    finally:
        lib.lr_values_free(made[0])
    return values * u.cm


class _Bar:
    """Progress on tqdm bars, one per stage."""

    def __init__(self, make):
        self._make, self._what, self._bar = make, None, None

    def __call__(self, what, done, total, seconds):
        if what != self._what:
            self.finish()
            self._what, self._bar = what, self._make(total=total or None, desc=what, unit="")
        self._bar.update(done - self._bar.n)

    def finish(self):
        if self._bar is not None:
            if self._bar.total:
                self._bar.update(self._bar.total - self._bar.n)
            self._bar.close()
            self._bar = None


def _bar(progress):
    """What to call: by default a line where somebody sees it; False shows nothing."""
    if progress is None:
        return _progress.default()
    if progress is False:
        return None
    return _Bar(progress) if isinstance(progress, type) and hasattr(progress, "update") else progress
