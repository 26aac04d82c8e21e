"""The tests of the notebooks: cells that begin with `#| test`, run against the installed package.

Nothing is written: `pytest`, `pytest nbs/sdr` and `pytest nbs/sdr/03_rates.ipynb` read the notebooks, and `pytest tests` runs those
of all notebooks after its own. A failure names notebook, cell and line, and shows the cell.
"""
import ast
import importlib
import json
import linecache
import os
import re
import signal
import sys
import types
from collections import Counter
from pathlib import Path

# threads of several workers would wait for each other
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"): os.environ.setdefault(variable, "1")

import numpy as np
import pytest
from _pytest.assertion.rewrite import rewrite_asserts

ROOT = Path(__file__).resolve().parent
SLOW = ast.parse("pytest.mark.slow", mode="eval").body
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


def pytest_make_parametrize_id(config, val, argname):
    """Workers compare the names of cases, so a name holds no address, no bytes of the clock and no order of a set."""
    if isinstance(val, bytes | bytearray): return f"{argname}-{len(val)} bytes"
    if isinstance(val, set | frozenset): return f"{argname}-{len(val)} values"
    if isinstance(val, str) and ADDRESS.search(val): return ADDRESS.sub("0x", val)
    return None


@pytest.fixture(autouse=True)
def as_if_alone(request):
    """Each test begins as the first of its process would, whoever ran before it; what it left behind is noted."""
    np.random.seed(0)
    interrupt = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)     # `nohup ... &` leaves it ignored
    numbers = np.random.get_state()
    settings = sys.modules["matplotlib"].rcParams.copy() if "matplotlib" in sys.modules else None
    yield
    signal.signal(signal.SIGINT, interrupt)
    left = [] if np.array_equal(numbers[1], np.random.get_state()[1]) and numbers[2] == np.random.get_state()[2] else ["random numbers"]
    if "matplotlib.pyplot" in sys.modules and (pyplot := sys.modules["matplotlib.pyplot"]).get_fignums():
        left.append("open figures")
        pyplot.close("all")
    if settings is not None and settings != (now := sys.modules["matplotlib"].rcParams):
        left.append("matplotlib's settings")
        dict.update(now, settings)
    request.node.user_properties += [("left behind", what) for what in left]


def pytest_terminal_summary(terminalreporter):
    """How many tests would have changed what the next one sees; `-rA` is not needed to know that it is more than none."""
    found = Counter(what for reports in terminalreporter.stats.values() for report in reports if getattr(report, "when", "") == "teardown"
                    for key, what in report.user_properties if key == "left behind")
    if found: terminalreporter.write_line("cleared after tests: " + ", ".join(f"{what} ({n} tests)" for what, n in sorted(found.items())))


def code_cells(path):
    """(number from 1, directives, source) of each code cell."""
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code": yield number, re.findall(r"(?m)^#\|\s*(.*?)\s*$", source), source


def statements(source):
    """Its syntax tree; lines for the notebook alone are left out."""
    try: return ast.parse(source).body
    except SyntaxError: return ast.parse(re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", source)).body


def imports(node):
    """An import as one statement for each name that it binds."""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        yield name, (ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level))


def run(nodes, module, name, source, config):
    """Run statements in a module; tracebacks show the cell."""
    code = ast.fix_missing_locations(ast.Module(nodes, []))
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    rewrite_asserts(code, source.encode(), name, config)
    exec(compile(code, name, "exec"), vars(module))


def can_fail(test):
    """Whether a test asserts: assert, pytest.raises or warns, NumPy's assert_*, check_estimator."""
    names = {node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
             for node in ast.walk(test) if isinstance(node, ast.Call)}
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test))
    return asserts or any(n in ("raises", "warns", "check_estimator") or n.startswith("assert_") for n in names)


class Notebook(pytest.Module):
    """The test cells of a notebook as a module: what the notebook exports and imports, and what the cells define."""

    def _getobj(self):
        name = "notebook_" + re.sub(r"\W", "_", self.path.relative_to(ROOT).as_posix())
        module = sys.modules[name] = types.ModuleType(name)
        module.__file__, module.pytest = str(self.path), pytest
        cells = list(code_cells(self.path))
        tests = [(number, words, source) for number, words, source in cells if "test" in words]
        needed = set(re.findall(r"\w+", "\n".join(source for _, _, source in tests)))
        for node in (n for cell in cells if cell not in tests for n in statements(cell[2])):
            if not isinstance(node, ast.Import | ast.ImportFrom): continue
            for bound, line in imports(node):
                if bound not in needed: continue
                try: run([line], module, "<import>", "", self.config)
                except ImportError: pass       # of an extra that is missing: the test that needs it says so
        for target in (word.split()[1] for _, words, _ in cells for word in words if word.startswith("default_exp ")):
            own = vars(importlib.import_module("reject_nb." + target.removesuffix(".__init__").removesuffix("__init__").rstrip(".")))
            vars(module).update({k: v for k, v in own.items() if not k.startswith("__")})
        exported = "\n".join(source for _, words, source in cells if "export" in words)
        self.absent = {name for name in re.findall(r"(?m)^(?:def |class |(?=\w+ *=[^=]))(\w+)", exported) if not hasattr(module, name)}
        for number, words, source in tests: self._define(module, number, "slow" in words, source)
        return module

    def explain(self, error):
        """Where a name is missing that the notebook exports, its module is older than the notebook."""
        path = self.path.relative_to(ROOT).as_posix()
        if error.name in self.absent: error.add_note(f"export first: nbdev_export --path {path} (it defines {error.name}, its module does not)")

    def _define(self, module, number, slow, source):
        """Run a test cell without the calls at its end."""
        where = f"{self.path.relative_to(ROOT).as_posix()}[{number}]"
        kept = [n for n in statements(source) if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Call))]
        for test in (n for n in kept if getattr(n, "name", "").startswith("test_")):
            if not can_fail(test): raise self.CollectError(f"{where}: {test.name} has no assertion and cannot fail")
            if test.name in vars(module): raise self.CollectError(f"{where}: two tests are named {test.name}")
            if slow: test.decorator_list.append(SLOW)
        try: run(kept, module, where, source, self.config)
        except NameError as error:
            self.explain(error)
            raise


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    try: return (yield)
    except NameError as error:
        if notebook := pyfuncitem.getparent(Notebook): notebook.explain(error)
        raise


class Tests(pytest.Dir):
    """A folder of tests with the notebooks behind it: tests/gpc with nbs/gpc, tests/ with all that have no folder there."""

    def collect(self):
        yield from super().collect()
        twin = ROOT/"nbs"/self.path.relative_to(ROOT/"tests")
        if self.path != ROOT/"tests": yield pytest.Dir.from_parent(self, path=twin)
        else:
            for path in sorted(p for p in twin.iterdir() if not (self.path/p.name).is_dir()):
                if path.is_dir(): yield pytest.Dir.from_parent(self, path=path)
                elif (found := pytest_collect_file(path, self)) is not None: yield found


def pytest_collect_directory(path, parent):
    """Folders below tests/ that have notebooks of their name."""
    inside = path == ROOT/"tests" or path.parent == ROOT/"tests"
    return Tests.from_parent(parent, path=path) if inside and (ROOT/"nbs"/path.relative_to(ROOT/"tests")).is_dir() else None


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".ipynb" and '"#| test' in file_path.read_text(encoding="utf-8"):
        return Notebook.from_parent(parent, path=file_path)
