"""Tests of the repository as a whole: what no single notebook can see."""
import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import shutil
import tomllib
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import grimp
import pytest

import reject_nb
from conftest import code_cells, statements
from reject_nb.core.claims import ITEMS, STATUSES, load_claims
from reject_nb.dev.notebooks import clean, directives, notebook_paths, read, relative, to_text, unfit_to_show
from reject_nb.dev.pages import make_readme

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT/"reject_nb"
NOTEBOOKS = [relative(path) for path in notebook_paths()]


def test_modules_are_what_the_notebooks_export():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT/"nbs", Path(folder)/"nbs")
        for name in ("settings.ini", "pyproject.toml"): shutil.copy(ROOT/name, folder)
        subprocess.run([sys.executable, "-c", "from nbdev.doclinks import nbdev_export; nbdev_export()"], cwd=folder, check=True)
        made = {p.relative_to(folder).as_posix(): p.read_text() for p in (Path(folder)/"reject_nb").rglob("*.py") if p.name != "_modidx.py"}
    here = {relative(p): p.read_text() for p in PACKAGE.rglob("*.py") if p.name != "_modidx.py"}
    moved = [name for name in sorted(set(made) | set(here)) if made.get(name) != here.get(name)]
    assert not moved, f"run `nbdev_export`, and remove modules without a notebook: {moved}"


def test_readme_is_what_its_notebook_makes():
    assert (ROOT/"README.md").read_text(encoding="utf-8") == make_readme(), "run `python -m reject_nb.dev.build readme`"


BLANKS = {ast.Add: ("+", 1), ast.Sub: ("-", 1), ast.MatMult: ("@", 1), ast.Mult: ("*", 0), ast.Div: ("/", 0), ast.FloorDiv: ("//", 0), ast.Pow: ("**", 0)}


def other_dialect(source):
    """Places of a cell where blanks are not as everywhere: `2*x + 1`, `X @ w`, `f(x:int=3)`, `field: int`, code # comment."""
    rows = [row.encode() for row in source.split("\n")]   # columns count bytes
    def between(a, b): return rows[a.end_lineno - 1][a.end_col_offset:b.col_offset].decode().lstrip(")").rstrip("(")
    tree = ast.parse(source)
    in_strings = {id(n) for s in ast.walk(tree) if isinstance(s, ast.JoinedStr) for n in ast.walk(s)}   # their columns depend on the version
    for n in ast.walk(tree):
        if id(n) in in_strings: continue
        if isinstance(n, ast.BinOp) and type(n.op) in BLANKS and n.left.end_lineno == n.right.lineno:
            sign, blanks = BLANKS[type(n.op)]
            if between(n.left, n.right) != f"{' '*blanks}{sign}{' '*blanks}": yield n.lineno, f"{sign} has {blanks} blank(s) on both sides"
        if isinstance(n, ast.AnnAssign) and between(n.target, n.annotation) != ": ": yield n.lineno, "`field: type` has a blank"
        if isinstance(n, ast.arg) and n.annotation and rows[n.lineno - 1][n.annotation.col_offset - 1:][:1].isspace(): yield n.lineno, "`parameter:type` has no blank"
    for t in tokenize.generate_tokens(io.StringIO(source).readline):
        if t.type == tokenize.COMMENT and t.line[:t.start[1]].strip() and not t.line[t.start[1] - 1].isspace(): yield t.start[0], "a blank before a comment"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_have_one_dialect(name):
    cells = [c for c in read(ROOT/name).cells if c.cell_type == "code"]
    assert not [(c.id, *found) for c in cells for found in other_dialect(c.source)]


def formula_in_a_paragraph(text):
    """Whether a displayed formula has no empty line before or after it, as the site needs."""
    lines = ["", *(re.sub(r"^(> ?)*\s*", "", line) for line in text.split("\n")), ""]
    inside = False
    for before, line, after in zip(lines, lines[1:], lines[2:]):
        began, ends = not inside and "$$" in line, line.count("$$") % 2 == inside
        if began and (before.strip() or not line.startswith("$$")): return True
        if (inside or began) and "$$" in line and ends and after.strip(): return True
        if "$$" in line: inside = not ends
    return False


@pytest.mark.parametrize("text, run_in", [
    ("a\n\n$$x$$\n\nb", False), ("> a\n>\n> $$x\n> y$$\n>\n> b", False), ("a $$x$$ b", True), ("a\n$$x$$", True), ("> $$x$$\n> b", True),
    ("$$x\ny$$\nb", True), ("price $5$", False)])
def test_a_displayed_formula_stands_alone(text, run_in): assert formula_in_a_paragraph(text) == run_in


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_is_clean_and_whole(name):
    """No counts or metadata, unique ids, texts that agree with outputs; a title, a line that says what it is about, limits where code is explained."""
    text, nb = (ROOT/name).read_text(encoding="utf-8"), read(ROOT/name)
    ids = [cell.get("id") for cell in json.loads(text)["cells"]]
    assert None not in ids and len(set(ids)) == len(ids)
    assert to_text(clean(nb)) == text, "run `python -m reject_nb.dev.build clean`"
    assert not (unfit := unfit_to_show(nb)), f"{name}: {'; '.join(unfit)}"
    assert not (run_in := [c.id for c in nb.cells if c.cell_type == "markdown" and formula_in_a_paragraph(c.source)]), run_in
    assert re.match(r"# \S.*\n\n(.*\n)*?> \S[^\n]*$", nb.cells[0].source, re.M), "the first cell is `# Title` and `> one line`"
    exported = any("export" in directives(c.source) for c in nb.cells if c.cell_type == "code")
    concept = exported and re.match(r"(?!00_|9\d_|overview)", Path(name).name) and name.count("/") > 1
    assert not concept or any(re.search(r"(?m)^#+ .*Limits", c.source) for c in nb.cells if c.cell_type == "markdown"), "no `## Limits`"


def cells_of_row(row): return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def names_in_tables(text):
    """Names in backticks of notation tables: columns headed variable, name, here or code; all columns next to a symbol."""
    lines = text.splitlines()
    for number, line in enumerate(lines[1:], 1):
        if not re.fullmatch(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?\s*)?", line): continue
        heads = cells_of_row(lines[number - 1])
        columns = [i for i, head in enumerate(heads) if re.search(r"\b(variables?|names?|here|code)\b", head, re.I)]
        if not columns and any(re.search(r"\bsymbols?\b", head, re.I) for head in heads): columns = range(len(heads))
        for row in lines[number + 1:]:
            if "|" not in row: break
            cells = cells_of_row(row)
            for code in (c for i in columns if i < len(cells) for c in re.findall(r"`([^`]+)`", cells[i])):
                if re.match(r"#|(python|make|pip|reject-nb)\b", code): continue
                yield from re.findall(r"(?<![\w.])[A-Za-z_]\w*", re.sub(r"(['\"]).*?\1", "", code))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_names_in_notation_tables_are_in_the_code(name):
    nb = read(ROOT/name)
    code = "\n".join(c.source for c in nb.cells if c.cell_type == "code")
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(re.sub(r"\s#[^|'\"]*$", "", line) for line in code.splitlines())))
    missing = {n for c in nb.cells if c.cell_type == "markdown" for n in names_in_tables(c.source)} - words
    assert not missing


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_between_notebooks_lead_somewhere(name):
    path = ROOT/name
    prose = "\n".join(re.sub(r"(?s)```.*?```|`[^`\n]*`", "", c.source) for c in read(path).cells if c.cell_type == "markdown")
    links = re.findall(r"\]\(((?![a-z]+:|#)[^()\s#]+)", prose)
    assert not [link for link in links if re.search(r"\.\w+$", link) and not (path.parent/link).exists()]


def running(node):
    """The parts of a statement that run with it, not later in a function, nor in a comprehension that has names of its own."""
    if isinstance(node, ast.arg): return
    yield node
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp): return
    later = [node.body] if isinstance(node, ast.Lambda) else node.body if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    for part in ast.iter_child_nodes(node):
        if part not in later: yield from running(part)


def bound(nodes):
    """(name, module it is imported from) of what some nodes bind."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if not any(ast.unparse(by).startswith("patch") for by in node.decorator_list): yield node.name, ""   # a method of a class
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store): yield node.id, ""
        elif isinstance(node, ast.arg): yield node.arg, ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names: yield alias.asname or alias.name.partition(".")[0], getattr(node, "module", alias.name)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_name_has_one_meaning_and_is_there_when_it_is_used(name):
    """As Run all meets them: no cell binds an exported name anew, no function is called before what it uses is there, each test is called."""
    cells = [(number, words, [(node, dict(bound(running(node)))) for node in statements(source)])
             for number, words, source in code_cells(ROOT/name) if "slow" not in words]
    target = "reject_nb." + next((word.split()[1] for _, words, _ in cells for word in words if word.startswith("default_exp ")), "")
    every = {n for _, _, body in cells for _, names in body for n in names}
    own = {n for _, words, body in cells if "export" in words for _, names in body for n, origin in names.items() if not origin}
    there, needs, tests, wrong = set(), {}, {}, []
    for number, words, body in cells:
        for node, names in body:
            if isinstance(node, ast.FunctionDef | ast.Expr):
                parts = list(ast.walk(node))
                loaded = {part.id for part in parts if isinstance(part, ast.Name)} - {n for n, _ in bound(parts)}
            if isinstance(node, ast.FunctionDef): needs[node.name] = loaded
            if getattr(node, "name", "").startswith("test_"): tests[node.name] = number
            if isinstance(node, ast.Expr):
                used, todo = set(), loaded
                while todo - used:
                    used |= (new := todo - used)
                    todo = todo.union(*(needs.get(n, set()) for n in new))
                wrong += [f"cell {number} uses {n} before it is there" for n in (used & every) - there]
                for n in used: tests.pop(n, None)
            if "export" not in words: wrong += [f"cell {number} binds {n} anew" for n in set(names) & own if not target.startswith(names[n] or "-")]
            there |= set(names)
    assert not wrong + [f"cell {number} does not call {test}" for test, number in tests.items()]


def _packages():
    """Name of each package, and where the public names are that its overview loads lazily: name -> module."""
    for path in PACKAGE.rglob("__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        later = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
        yield (path.parent.relative_to(ROOT).as_posix().replace("/", "."),
               {a.asname or a.name: n.module for part in later for n in ast.walk(part) if isinstance(n, ast.ImportFrom) for a in n.names})


def _used(source, name, packages, modules):
    """Modules that a module uses, besides those it imports by their own names: through an overview's names, and as attributes of a package."""
    tree = ast.parse(source)
    held = {}   # local name -> package
    for n in ast.walk(tree):
        if isinstance(n, ast.ImportFrom):
            base = ".".join((name.split(".")[:-n.level] if n.level else []) + ([n.module] if n.module else []))
            for a in n.names:
                if f"{base}.{a.name}" in packages: held[a.asname or a.name] = f"{base}.{a.name}"
                if a.name in packages.get(base, {}): yield packages[base][a.name]
        elif isinstance(n, ast.Import):
            held.update({a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0] for a in n.names if a.name.startswith("reject_nb")})
    for n in ast.walk(tree):
        if isinstance(n, ast.Attribute):
            at, _, rest = ast.unparse(n).partition(".")
            if at in held: yield from (m for m in modules if f"{held[at]}.{rest}" == m or f"{held[at]}.{rest}".startswith(m + "."))


def test_imports_run_one_way():
    """The layers of pyproject.toml: core, data, risk_control, papers, audit, command line, dev; and no module uses itself in a circle, through whatever
    it names: an import anywhere in it, a name that an overview loads later, or an attribute of a package."""
    done = subprocess.run([sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
                          cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stdout[-2000:]
    graph, packages = grimp.build_graph("reject_nb"), dict(_packages())
    modules = graph.modules - set(packages)
    source = {name: PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py").read_text(encoding="utf-8") for name in modules}
    uses = {name: graph.find_modules_directly_imported_by(name) - set(packages) | set(_used(source[name], name, packages, modules)) for name in modules}
    list(TopologicalSorter({name: used - {name} for name, used in uses.items()}).static_order())
    for tricks in ("from . import advanced\nadvanced.many.certify_many", "def f():\n    import reject_nb\n    reject_nb.gpc.advanced.many.f()",
                   "from reject_nb import gpc as g\ng.advanced.many.f()", "from reject_nb.gpc import certify_many"):
        assert set(_used(tricks, "reject_nb.gpc.search", packages, modules)) == {"reject_nb.gpc.advanced.many"}, tricks


def test_every_module_has_its_notebook():
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path in (PACKAGE/"__init__.py", PACKAGE/"_modidx.py") or path.name == "__init__.py" and not text.strip(): continue
        source = re.search(r"File to edit: ([^\s]+\.ipynb)", text)
        assert source and (path.parent/source[1]).resolve().is_file(), f"{path} has no notebook"


def test_actions_are_pinned_to_commits():
    """A tag can be moved; a commit cannot. The version stands next to it for the reader."""
    used = [line for path in (ROOT/".github"/"workflows").glob("*.yml")
            for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert used and not [line for line in used if not re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v[\d.]+$", line)]


def test_every_claim_is_whole_and_can_be_computed_again():
    claims = load_claims(ROOT/"figures")
    assert claims
    for c in claims.values():
        room = c.id.partition("/")[0]
        assert c.status in STATUSES and c.says and c.where
        assert (c.command.startswith(f"reject-nb reproduce {room}") or c.command == "make bench") and (ROOT/"nbs"/room/"90_paper.ipynb").is_file(), c.id
        assert c.why or c.status not in ("differs", "not run"), f"{c.id} does not say why it {c.status}"
        assert c.rivals_match or c.status != "compatible", f"{c.id} is compatible, and no other method would match"
        assert c.status == "not run" or c.measured is not None, c.id


def test_every_picture_has_its_numbers():
    for picture in (ROOT/"figures").rglob("*.png"):
        assert picture.with_suffix(".csv").is_file(), picture


def test_modules_show_every_figure_and_table_they_owe():
    claims = load_claims(ROOT/"figures").values()
    for item in ITEMS:
        assert any(c.id.startswith(item.room + "/") and c.where.startswith(item.where) for c in claims), f"{item.room}: no claim names {item.where}"


def test_import_is_light():
    code = "import sys, reject_nb; print([m for m in ('numpy', 'scipy', 'matplotlib', 'cvxpy', 'GPy', 'numba', 'sklearn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def project(): return tomllib.loads((ROOT/"pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_one():
    said = re.search(r"(?m)^version\s*=\s*(\S+)", (ROOT/"settings.ini").read_text(encoding="utf-8"))[1]
    assert metadata.version("reject_nb") == said == reject_nb.__version__


def test_lock_holds_plain_pins_for_every_requirement():
    lines = (ROOT/"requirements.lock").read_text().split()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    extras = {name: of for name, of in project()["optional-dependencies"].items() if name not in ("deep", "dlib")}   # torch: hundreds of MB; dlib: compiled for minutes
    for requirement in sum(extras.values(), project()["dependencies"]):
        assert re.sub(r"[-_.]+", "-", re.split(r"[<>=\[]", requirement)[0]).lower() in pinned, requirement


@pytest.mark.slow
def test_cases_have_the_same_names_in_every_process():
    """In order, too: whoever makes cases from a set or from the clock stops parallel runs."""
    def names(seed):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "slow or not slow", "-o", "addopts="]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": seed})
        assert not done.returncode, done.stdout[-2000:]
        return [line for line in done.stdout.splitlines() if "::" in line]
    first, second = names("1"), names("2")
    assert len(first) > 1000 and first == second
