"""Every argument of the public interface is described where help() shows it: its kind or unit, its meaning, its default."""

import inspect
import re

import linerad as lr
import pytest
from linerad.cloud import _OPTIONS
from linerad.parts import Part

plot = pytest.importorskip("linerad.plot")

NOT_CALLED = {"linerad.Estimate", "linerad.Partner"}  # named tuples that functions return


def public(module):
    """(name, object) of the classes and functions of a module, without those of other packages."""
    for name, item in sorted(vars(module).items()):
        if not name.startswith("_") and getattr(item, "__module__", "").startswith("linerad"):
            if inspect.isclass(item) and not issubclass(item, BaseException) or inspect.isfunction(item):
                yield f"{module.__name__}.{name}", item


def callables():
    """(name, its signature, its docstring) of everything that users call. Objects that functions return say so:
    'Made by'."""
    for module in (lr, lr.fit, plot):
        for name, item in public(module):
            if inspect.isfunction(item):
                yield name, item, item.__doc__
                continue
            if "Made by" not in (item.__doc__ or ""):
                yield name, item.__init__, item.__doc__
            for method, _ in inspect.getmembers(item, callable):
                found = inspect.getattr_static(item, method)
                if issubclass(item, Part) and method == "write":  # for Model, not for users
                    continue
                if not method.startswith("_") and isinstance(found, (classmethod, type(public))):
                    yield f"{name}.{method}", getattr(item, method), getattr(item, method).__doc__


CALLABLES = {name: (call, doc) for name, call, doc in callables() if name not in NOT_CALLED}


def described(doc):
    """{argument: its description} of the section Parameters."""
    section = inspect.cleandoc(doc or "").partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    found = {}
    for names, kind, text in re.findall(r"^(\w[\w, ]*) : (.+)\n((?:    .*(?:\n|$))+)", section, re.M):
        for name in names.split(", "):
            found[name] = f"{kind}\n{text}"
    return found


def test_the_interface_is_found():
    assert {"linerad.Medium", "linerad.Mesh.uniform", "linerad.Model.run", "linerad.radex", "linerad.fit.Fit",
            "linerad.plot.channel_maps", "linerad.Result.cube"} <= set(CALLABLES)


@pytest.mark.parametrize("name", CALLABLES)
def test_every_argument_is_described(name):
    call, doc = CALLABLES[name]
    assert doc and len(doc.split()) > 2, f"{name} has no description"
    parameters = [item for item in inspect.signature(call).parameters.values() if item.name not in ("self", "cls")]
    wanted = [item.name for item in parameters if item.kind != item.VAR_KEYWORD]
    found = described(doc)
    assert [item for item in wanted if item not in found] == [], f"{name}: arguments without a description"
    for item in parameters:
        if item.name in found and item.default is not inspect.Parameter.empty:
            words = found[item.name]
            assert re.search(r"[Dd]efault|[Rr]equired|No default", words), f"{name}: default of {item.name}"


@pytest.mark.parametrize("name", [name for name, (call, _) in CALLABLES.items() if inspect.isfunction(call)])
def test_nothing_is_described_that_is_not_there(name):
    call, doc = CALLABLES[name]
    parameters = inspect.signature(call).parameters
    if not any(item.kind == item.VAR_KEYWORD for item in parameters.values()):
        assert set(described(doc)) <= set(parameters), f"{name}: describes arguments it does not have"


def test_every_option_of_a_cloud_is_described():
    assert set(_OPTIONS) <= set(described(lr.cloud.__doc__))
