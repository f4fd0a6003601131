"""A model as a tree with its settings applied, and the part of it that determines the light: everything outside
`cameras`, `channels` and `image`, compared as text; arrays and files by content. If light is bound to cameras and
channels, because packets or sources recorded it there, directions matter too.
"""

import functools
import hashlib
import json
import os
import weakref

import numpy as np

from .. import _files, _values
from .._library import lib, text
from ..errors import InputError
from ..model import _settings

_IMAGE_SECTIONS = ("cameras", "channels", "image")
_NOT_PHYSICS = ("run.threads", "run.device", "run.memory", "run.scheduling")
_TOWARD = ("direction", "theta", "phi", "position")


def _apply(tree, setting):
    """One 'path.to.key=value', as the library does it; lists and maps are JSON."""
    path, _, value = setting.partition("=")
    if value[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            raise InputError(f"{path}: write lists and dictionaries as such, not as the string '{value}'") from None
    node, keys = tree, path.split(".")
    for key in keys[:-1]:
        index = int(key) if isinstance(node, list) else key
        found = node[index] if isinstance(node, list) else node.get(index)
        if not isinstance(found, (dict, list)):
            found = node[index] = {}
        node = found
    node[int(keys[-1]) if isinstance(node, list) else keys[-1]] = value


_texts = weakref.WeakKeyDictionary()  # of models from files, with the stamp of the file


def _file_text(model):
    stamp = _files.stamp(model._path)
    if model not in _texts or _texts[model][0] != stamp:
        several = bool(model.lines)
        found = '{"lines": []}' if several else text(lib.lr_model_text(model._pointer(), b"model_resolved"))
        _texts[model] = stamp, found
    return _texts[model][1]


def resolve(model, settings):
    """The tree of a model with these settings on top."""
    if model.structure is not None:
        tree, own = json.loads(json.dumps(model.structure)), model._settings
    else:
        tree, own = json.loads(_file_text(model)), ()
    if "lines" in tree:
        raise InputError("model: it has several lines; give a model with a single 'line'")
    for setting in own + _settings(settings):
        try:
            _apply(tree, setting)
        except (IndexError, ValueError, TypeError):
            raise InputError(f"{setting.partition('=')[0]}: the model has no such entry") from None
    return tree


def _digest(values, units):
    values = np.ascontiguousarray(values)
    found = hashlib.blake2b(values.data, digest_size=16)
    found.update(f"{values.dtype.str}{values.shape}{units}".encode())
    return found.hexdigest()


def _leaf(node, folders):
    """Its text, with the contents of the files it names: next to the model, or where settings look for them."""
    if not isinstance(node, str):
        return str(node)
    digests = [_files.digest(os.path.join(folder, node)) for folder in folders]
    return f"{node} {digests}" if any(digests) else node


def _flatten(node, path, arrays, folders, out):
    if isinstance(node, dict) and set(node) == {"array"} and node["array"] in arrays:
        out[path] = _digest(*arrays[node["array"]])
    elif isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            _flatten(value, f"{path}.{key}" if path else str(key), arrays, folders, out)
    else:
        out[path] = _leaf(node, folders)
    return out


def split(tree, model, bound):
    """({path: text} that determine the light, {path: text} that only determine how it is viewed). `tree` is that
    of the model with settings."""
    light, view = {}, {}
    beside = os.path.dirname(model._path) if model._path else model._folder
    for path, value in _flatten(tree, "", model._arrays, sorted({beside, ""}), {}).items():
        section, key = path.split(".")[0], path.split(".")[-1]
        looks = section in _IMAGE_SECTIONS or path in _NOT_PHYSICS
        if bound and section == "cameras":
            looks = not any(part in path.split(".") for part in _TOWARD)
        if bound and (path == "image.method" or section == "channels" and key == "samples"):
            looks = False
        (view if looks else light)[path] = value
    return light, view


def changes(before, after):
    """Paths whose values differ."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


@functools.lru_cache(maxsize=256)
def _factor(written, dimension, unit):
    return float(_values.quantity(f"1 {written}", dimension, "unit").to_value(unit))


def value_of(tree, path, dimension, unit):
    """A quantity in the tree in units of `unit`; None if absent."""
    node = tree
    for key in path.split("."):
        if not isinstance(node, dict) or key not in node:
            return None
        node = node[key]
    number, _, written = str(node).strip().partition(" ")
    try:
        return float(number) * _factor(written, dimension, unit)
    except ValueError:  # '5km/s', or what is no quantity
        return float(_values.quantity(str(node), dimension, path).to_value(unit))
