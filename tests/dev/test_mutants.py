"""Tests of nbs/dev/09_mutants.ipynb, extracted from its test cells: edit them there."""
import ast
import importlib
import io
import nbformat
import os
import pytest
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from reject_nb.dev.imports import package_modules
from reject_nb.dev.notebooks import root
from types import SimpleNamespace
from unittest import mock

from reject_nb.dev.mutants import (
    Trial, Workplace, _limited, _pytest, _statuses, as_module, equivalents, files_for, in_a_kernel, main,
    mutants_of, mutated, notebook_of, report, sample, shows_the_same, stages, try_mutant, warm_up,
)

CHANGES = [("a < b", ["a <= b"]), ("a + b", ["a - b"]), ("a ** 2", ["a * 2", "3"]), ("-a", ["a"]),
           ("not a", ["a"]), ("a and b", ["a or b"]), ("min(a)", ["max"]),
           ("a.argmax()", ["a.argmin"]), ("a[i]", ["a[i - 1]"]),
           ("a if b else c", ["not b"]), ("'text'", []), ("f'{1 + 2}'", []),
           ("a < b <= c", ["a <= b <= c", "a < b < c"]),
           ("a[1:]", ["2"]), ("True", ["False"]), (".5", ["1.0"])]

@pytest.mark.parametrize("code, expected", CHANGES)
def test_changes_of_an_expression(code, expected):
    found = [m.new for m in mutants_of(f"def f(a, b, c, i):\n    return {code}", "m")]
    assert [f for f in found if f in expected] == expected and (bool(found) == bool(expected))

STATEMENTS = [("x += 1", ["x -= 1", "pass", "2"]), ("g(x)", ["pass"]), ("raise ValueError(1)", ["pass"]),
              ("assert x > 1", []), ("if x: pass", ["not x"]),
              ("while x > 0: x = 1", ["not x > 0", "x >= 0", "1", "2"])]

@pytest.mark.parametrize("code, expected", STATEMENTS)
def test_changes_of_a_statement(code, expected):
    assert [m.new for m in mutants_of(f"def f(x):\n    {code}", "m")] == expected


def test_every_mutant_of_a_module_is_another_program():
    source = package_modules()["dev.imports"].read_text(encoding="utf-8")
    for mutant in mutants_of(source, "dev.imports"):
        changed = mutated(source, mutant)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant


def test_names_that_mean_nothing_are_not_put_in():
    found = mutants_of("def f(lower): return lower + sum(lower) + lower.sum()", "m")
    assert [m.new for m in found if m.kind == "name"] == ["lower.mean"]
    assert "upper" in [m.new for m in mutants_of("def f(lower, upper): return lower", "m")]


def test_signatures_and_words_stay():
    source = ("class A:\n    def __repr__(self): return 1\n"
              "    def f(self, x:int=3) -> int:\n        def g(y=2): return y\n        return g")
    assert mutants_of(source, "m") == []
    inner = mutants_of("def f():\n    def g(): return 1\n    return g", "m")
    assert [m.function for m in inner] == ["f.g"]


def test_columns_count_bytes():
    source = "def f(x):\n    y = 'é', x + 1\n    return y"
    assert any("'é', (x - 1)" in mutated(source, m) for m in mutants_of(source, "m"))


def test_a_sample_is_drawn_once_and_again():
    first, again = sample("core", 5, seed=3), sample("core", 5, seed=3)
    assert first == again and len({(m.span, m.new, m.module) for m in first}) == 5
    assert all(m.module.startswith("core") for m in first)


def test_equivalents_need_a_reason():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"equivalent.txt"
        assert equivalents(path) == {}
        path.write_text("# a comment\nm.f: a < b -> a <= b # equivalent: both give 0\n")
        assert equivalents(path) == {"m.f: a < b -> a <= b": "both give 0"}
        path.write_text("m.f: a -> b\n")
        with pytest.raises(ValueError, match="reason"): equivalents(path)


def test_tests_of_the_module_come_first():
    files = files_for("dev.notebooks", root())
    assert files[0] == "tests/dev/test_notebooks.py" and len(files) == len(set(files)) >= 5
    assert set(files) == {p.relative_to(root()).as_posix() for p in (root()/"tests"/"dev").glob("test_*.py")}


def test_slow_tests_wait():
    work = Workplace.__new__(Workplace)
    work.folder, work.graph, work.general = root(), {"dev.imports": set()}, ["tests/test_help.py"]
    work.slow = ["tests/dev/test_runner.py::test_a", "tests/dev/test_imports.py::test_b[1]"]
    own, others, later, general = stages(work, "dev.imports")
    quick = [f"--deselect={name}" for name in later]
    assert own == ["tests/dev/test_imports.py", *quick] and others[-2:] == quick and len(others) > 10
    assert own[0] not in others and later == work.slow[::-1] and general == work.general
    work.slow = []
    with mock.patch.dict(stages.__globals__, files_for=lambda *asked: ["tests/dev/test_imports.py"]):
        assert stages(work, "dev.imports") == [["tests/dev/test_imports.py"], work.general]


@pytest.mark.parametrize("source, runs", [
    ("#| export\nx = 1", True), ("#| export other.module\nx = 1", True), ("x = 1\n#| export", False),
    ("#| default_exp a.b", False)])
def test_exported_cells_give_way_to_the_module(source, runs):
    prepared = as_module("core.tails")(source)
    assert (prepared == source) != runs and ("'reject_nb.core.tails'" in prepared) == runs
    if not runs: return
    names: dict = {}
    exec(prepared, names)
    module = importlib.import_module("reject_nb.core.tails")
    assert names.get("__name__") != module.__name__
    assert all(names[name] is getattr(module, name) for name in module.__all__)


def test_calls_of_tests_are_left_out():
    assert "test_a()" not in as_module("m")("#| test\ndef test_a(): pass\ntest_a()").splitlines()


def test_the_notebook_of_a_module():
    assert notebook_of("dev.mutants").relative_to(root()).as_posix() == "nbs/dev/09_mutants.ipynb"
    assert notebook_of("sdr").name == "00_overview.ipynb"

NOTEBOOK = [("1 + 1", "2", 0), ("1 + 1", "3", 1), ("1/0", "", 1), ("#| varies\n1 + 1", "3", 0)]

@pytest.mark.parametrize("source, stored, status", NOTEBOOK)
def test_a_notebook_that_shows_something_else_fails(source, stored, status):
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as said:
        output = nbformat.v4.new_output("execute_result", {"text/plain": stored})
        cell = nbformat.v4.new_code_cell(source, outputs=[output] if stored else [])
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), Path(folder)/"a.ipynb")
        with mock.patch.dict(shows_the_same.__globals__, notebook_of=lambda module: Path(folder)/"a.ipynb"):
            assert shows_the_same("core.sorting") == status
    assert ("shows '2'" in said.getvalue()) == (stored == "3" and status == 1)


@pytest.mark.parametrize("shown, expected", [(["m.a"], ["own", "notebook", "others", "general"]),
                                             (["m.b"], ["own", "others", "general"])])
def test_own_tests_then_the_notebook_then_others(shown, expected):
    stand_ins = {"stages": lambda work, module: [["own"], ["others"], ["general"]],
                 "_pytest": lambda work, caches, part, files, seconds: files[0],
                 "_notebook": lambda work, caches, module, seconds: "notebook"}
    with mock.patch.dict(_statuses.__globals__, stand_ins):
        assert list(_statuses(SimpleNamespace(shown=shown), None, "m.a", 3.)) == expected

KERNELS = """
@njit(cache=True)
def f(x): return x
@core.register_jitable
def g(x):
    def h(y): return y
    return h
class A:
    @property
    def size(self): return 1
    @lru_cache(maxsize=3)
    def part(self): return 2
def plain():
    @njit
    def inner(): return 1
    return inner
"""

@pytest.mark.parametrize("function, compiled", [
    ("f", True), ("g", True), ("g.h", True), ("A.size", False), ("A.part", False), ("plain", False),
    ("plain.inner", True)])
def test_functions_that_may_be_compiled(function, compiled):
    assert in_a_kernel(KERNELS, function) == compiled


@pytest.mark.parametrize("compiled, kept", [(True, ["c.f-1.nbi"]), (False, ["b.f-1.nbi", "c.f-1.nbi"])])
def test_only_what_knows_a_change_is_compiled_again(compiled, kept):
    "b uses a, and may hold copies of its kernels."
    with tempfile.TemporaryDirectory() as folder:
        work = Workplace.__new__(Workplace)
        work.folder, work.graph = Path(folder), {"a": set(), "b": {"a"}, "c": set()}
        work.file, work.caches = (lambda name: Path(f"{name}.py")), Path(folder)/"caches"
        work.caches.mkdir()
        for name in "abc": (work.caches/f"{name}.f-1.nbi").write_text("")
        assert sorted(p.name for p in work.fresh_caches("a", compiled).iterdir()) == kept
        assert len(list(work.caches.iterdir())) == 3


def test_a_report_names_survivors():
    mutant = mutants_of("def f(x): return x + 1", "m")[0]
    fates = "killed", "survived", "killed (time)", "killed"
    said = report([Trial(mutant=mutant, fate=fate, seconds=1.) for fate in fates]).splitlines()
    assert said == ["killed 3 of 4 mutants: 75%", "survived: m:1 f [arithmetic] x + 1 -> x - 1"]


@pytest.mark.parametrize("body, seconds, status", [("assert 1", 60, 0), ("assert 0", 60, 1),
                                                   ("while True: pass", 3, None)])
def test_tests_that_never_end_are_ended(body, seconds, status):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"test_a.py").write_text(f"def test_a():\n    {body}\n")
        work = SimpleNamespace(folder=folder, said=Path(folder)/"said",
                               environment=lambda caches: {**os.environ})
        assert _pytest(work, Path(folder), "core", ["test_a.py"], seconds) == status


def test_tests_that_sleep_are_ended_by_the_clock():
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(_limited.__globals__, PATIENCE=.05):
        (Path(folder)/"test_a.py").write_text("import time\n\ndef test_a(): time.sleep(600)\n")
        work = SimpleNamespace(folder=folder, said=Path(folder)/"said",
                               environment=lambda caches: {**os.environ})
        assert _pytest(work, Path(folder), "core", ["test_a.py"], 60) is None


def test_the_command_draws_what_was_asked_for():
    mutant, drawn = mutants_of("def f(x): return x + 1", "m")[0], []
    def draw(*asked): return drawn.append(asked) or [mutant]
    stand_ins = {"Workplace": Path, "warm_up": lambda work, part: 1., "sample": draw,
                 "try_mutant": lambda work, m, normal: Trial(mutant=m, fate="survived", seconds=2.)}
    with mock.patch.dict(main.__globals__, stand_ins), redirect_stdout(io.StringIO()) as said:
        assert main(["core", "--n", "3", "--seed", "5"]) == main(["sdr"]) == 0
    assert drawn == [("core", 3, 5), ("sdr", 40, 0)]
    assert said.getvalue().splitlines()[1:3] == [f"survived         2.0 s  {mutant}",
                                                 "killed 0 of 1 mutants: 0%"]


@pytest.mark.slow
def test_a_planted_error_is_found():
    with tempfile.TemporaryDirectory() as folder:
        work = Workplace(Path(folder))
        for path in (work.folder/"tests"/"core").glob("test_*.py"):
            if path.stem != "test_sorting": path.unlink()
        normal = warm_up(work, "core")
        source = work.file("core.sorting").read_text(encoding="utf-8")
        mutant = next(m for m in mutants_of(source, "core.sorting") if m.kind in ("compare", "arithmetic"))
        assert try_mutant(work, mutant, normal).fate.startswith("killed")
        assert work.file("core.sorting").read_text(encoding="utf-8") == source
