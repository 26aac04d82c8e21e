"""Tests of nbs/dev/07_imports.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.dev.imports import cycles, imported_by, layer, may_import, package_modules, part_of

GRAPHS = [({}, []), ({"a": {"b"}, "b": set()}, []), ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
          ({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}, [["b", "c"]]),
          ({"a": {"b", "c"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, [["c", "d"], ["a", "b"]])]

@pytest.mark.parametrize("graph, expected", GRAPHS)
def test_cycles_are_found(graph, expected):
    assert cycles(graph) == expected

IMPORTS = [("from .region import radius", "sdr.rates", False, ["sdr.region"]),
           ("from . import region", "sdr", True, ["sdr.region"]),
           ("from ..core import files", "sdr.rates", False, ["core.files"]),
           ("import numpy", "sdr.rates", False, []),
           ("from reject_nb import __version__", "dev.pages", False, [""]),
           ("from .sdr.region import radius", "cli", False, ["sdr.region"])]

@pytest.mark.parametrize("source, module, is_package, expected", IMPORTS)
def test_imports_are_resolved(source, module, is_package, expected):
    known = {"sdr", "sdr.region", "sdr.rates", "core.files", "core"}
    assert [t for t, _, _ in imported_by(source, module, known, is_package)] == expected


def test_imports_within_functions_are_seen():
    source = "class A:\n    def f(self):\n        from .region import radius\n"
    assert imported_by(source, "sdr.rates", {"sdr.region"}) == [("sdr.region", 3, True)]


def test_a_part_without_a_place_is_refused():
    with pytest.raises(ValueError, match="part must be"): layer("attic")
    assert may_import("dev", "cli") and not may_import("data", "sdr")


def test_every_module_has_a_place():
    assert all(layer(part_of(name)) >= 0 for name in package_modules())
