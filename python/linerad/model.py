"""A model, from parts and arrays or from a file, and its run."""

import json
import os
import re
import weakref

import astropy.units as u
import numpy as np

from . import _files, _values, parts
from ._arguments import checked
from ._context import Context
from ._library import ffi, lib, take_text, text
from ._memory import lend
from ._show import short
from .errors import InputError, Interrupted
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
    """A model. Sections are parts (linerad.Mesh, linerad.Medium, ...), dictionaries, or words, with the names and
    meanings of a model file
    (docs/model_reference.md). Arrays are read by the library directly from memory when the model is first used, and
    again when a run changes settings; they are neither copied nor written to, and should not change in between. File
    names are relative to `folder`; `name` is the name of the model in messages.
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
        """A model file, with settings as `--set` takes them: {'medium.tau_mean': 8000}, or ['medium.tau_mean=8000'].

        The file is read now, and again only when it has changed.
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
        """Load the model completely and report how it was understood, in physical units."""
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
        """Follow photons, solve for populations, make images: whatever the model specifies. Arguments override the
        section `run`. `progress` is a function of (what, done, total,
        seconds) or a class like tqdm.tqdm; `settings` are as in Model.load. `line` selects one of several lines.

        Ctrl-C stops within about a second and raises linerad.Interrupted, a KeyboardInterrupt, whose `result` holds the
        packets finished so far (None if there are none). A second Ctrl-C quits at once.
        """
        chosen = {"packets": packets, "seed": seed, "threads": threads, "device": device, "precision": precision}
        short = [f"run.{key}={_option(key, value)}" for key, value in chosen.items() if value is not None]
        bar = _bar(progress)
        context = Context(bar)
        model = self._pointer(_settings(settings) + tuple(short), line, context, depth=5)
        made = ffi.new("lr_result **")
        try:
            stopped = context.run(lib.lr_run, model, made, depth=4)
        finally:
            if hasattr(bar, "finish"):
                bar.finish()
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
    return _Bar(progress) if isinstance(progress, type) and hasattr(progress, "update") else progress
