"""The papers are told truly: verdicts are computed, items covered, causes have evidence, figures captions, stored files their origin."""
import ast
import json
import os
import re
import unicodedata
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from reject_nb.core.claims import ROOMS, load_claims, numbered_items, statements, uncovered
from reject_nb.core.figures import caption_of
from reject_nb.core.files import load_made
from reject_nb.dev.notebooks import notebook_paths, read, relative, root

FIGURES = root()/"figures"


def is_literal(node, names):
    """Whether an expression holds nothing that was computed."""
    if isinstance(node, ast.Constant): return node.value is not None
    if isinstance(node, ast.Name): return names.get(node.id, False)
    if isinstance(node, ast.Call):
        converts = isinstance(node.func, ast.Name) and node.func.id in ("bool", "float", "int", "str")
        return converts and all(is_literal(a, names) for a in node.args)
    parts = {ast.JoinedStr: "values", ast.FormattedValue: "value", ast.UnaryOp: "operand"}.get(type(node))
    if isinstance(node, ast.BinOp): return is_literal(node.left, names) and is_literal(node.right, names)
    if parts is None: return False
    inner = getattr(node, parts)
    return all(is_literal(part, names) for part in (inner if isinstance(inner, list) else [inner]))


def typed_in(code):
    """Calls of `claim` whose measurement or verdict is typed."""
    tree = ast.parse(code)
    plain = {id(n.targets[0]) for n in ast.walk(tree) if isinstance(n, ast.Assign) and len(n.targets) == 1 and is_literal(n.value, {})}
    names: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = names.get(node.id, True) and id(node) in plain
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "claim" and node.args): continue
        given = {word.arg: word.value for word in node.keywords} | dict(zip(("id", "measured", "holds"), node.args))
        yield from (f"{ast.unparse(node.args[0])}: {name}" for name in ("measured", "holds", "falsified")
                    if name in given and is_literal(given[name], names))


@pytest.mark.parametrize("code, typed", [("claim('a', 3)", True), ("x = 3\nclaim('a', x)", True), ("x = f()\nclaim('a', x)", False),
                                         ("claim('a', holds=bool(1))", True), ("x = 3\nx = f()\nclaim('a', x)", False)])
def test_a_typed_verdict_is_found(code, typed): assert bool(list(typed_in(code))) == typed


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_is_typed(room):
    cells = [c.source for c in read(root()/"nbs"/room/"90_paper.ipynb").cells if c.cell_type == "code"]
    code = "\n".join(line for cell in cells for line in cell.splitlines() if not line.startswith(("%", "!")))
    assert not list(typed_in(code))


def there_is(evidence):
    """Whether the evidence for a cause exists: "<module>/<file>" below figures, or "<module>/<notebook>#<cell id>"."""
    place, _, cell = evidence.partition("#")
    if not cell: return (FIGURES/place).is_file()
    path = root()/"nbs"/f"{place}.ipynb"
    return path.is_file() and any(c["id"] == cell for c in json.loads(path.read_text(encoding="utf-8"))["cells"])


def differ(one, other):
    numbers = all(isinstance(v, (int, float)) for v in (one, other))
    return abs(one - other) > 1e-5*abs(one) if numbers else one != other


@pytest.mark.parametrize("room", ROOMS)
def test_statements_and_records_belong_together(room):
    said, records = statements(room), {id: c for id, c in load_claims(FIGURES).items() if id.startswith(room + "/")}
    assert set(said) == set(records), "run `make figures`"
    for id, statement in said.items():
        record = records[id]
        assert not [f for f in ("where", "kind", "says", "reported", "reason") if differ(getattr(statement, f), getattr(record, f))], id
        assert bool(statement.missing) == (record.status == "not run"), id
        if record.status == "differs": assert statement.cause and there_is(statement.evidence), id
        if record.status == "match": assert not statement.cause, id


def test_few_are_unexplained():
    assert len([id for room in ROOMS for id, s in statements(room).items() if s.cause == "unexplained"]) <= 5


@pytest.mark.parametrize("room", ROOMS)
def test_each_numbered_item_of_the_paper_is_named_by_a_claim(room):
    assert numbered_items(room)["states"] and not list(uncovered(room))


@pytest.mark.parametrize("room", ROOMS)
def test_each_picture_says_what_to_see(room):
    assert not [path.name for path in (FIGURES/room).glob("*.png") if not caption_of(path)]


def stored_files(room):
    """The stored files of a module: what `stored` names, benchmarks, arrays."""
    sources = [c.source for path in notebook_paths() if relative(path).startswith(f"nbs/{room}/")
               for c in read(path).cells if c.cell_type == "code"]
    found = [id for s in sources for id in re.findall(r"\bstored\(\s*f?[\"']([^\"']+)[\"']", s)]
    patterns = {re.sub(r"\{[^}]*\}", "*", id).partition("/")[2] + ".csv" for id in found}
    drawn = {p.stem for p in (FIGURES/room).glob("*.png")}   # a picture's numbers are written with it
    for path in sorted((FIGURES/room).iterdir()):
        kept = any(fnmatchcase(path.name, p) for p in patterns | {"benchmark_*.csv"})
        if path.suffix == ".npz" or path.suffix == ".csv" and kept and (path.stem not in drawn or path.name in patterns): yield path.name


@pytest.mark.parametrize("room", ROOMS)
def test_each_stored_file_says_how_it_was_made(room):
    made = load_made(room, FIGURES)
    assert not [name for name in made if not (FIGURES/room/name).is_file()]
    for name in stored_files(room):
        entry = made.get(name, {})
        assert entry.get("command") and set(entry) <= {"command", "versions", "seconds"}, name
        assert isinstance(entry.get("seconds", 0), (int, float)) and isinstance(entry.get("versions", {}), dict), name


PAPER = {"sdr": "sdr_mcsvm", "mcsvm": "sdr_mcsvm"}   # one paper, two modules


def folded(text):
    """A text without what typesetting changes: ligatures, white space, hyphens, the kind of quotation marks."""
    plain = unicodedata.normalize("NFKC", text)
    return re.sub(r"[\s\u00ad\u2010-\u2015\u2212-]+", "", plain.translate(str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")))


def test_folding_keeps_the_words():
    assert folded("an eﬃ-\ncient “rule”") == folded('an efficient "rule"') != folded("an efficient role")


@pytest.mark.parametrize("room", ROOMS)
def test_each_quotation_stands_in_the_paper(room):
    """The texts of the papers lie next to the data, or in REJECT_NB_PAPERS; their licences do not allow us to ship them."""
    data = os.environ.get("REJECT_NB_DATA")
    folder = Path(os.environ.get("REJECT_NB_PAPERS") or (Path(data).parent/"papers" if data else "papers"))
    path = folder/f"{PAPER.get(room, room)}.txt"
    if not path.is_file(): pytest.skip("the paper's text is not at hand")
    text = folded(path.read_text(encoding="utf-8"))
    quoted = {id: s for id, s in statements(room).items() if s.quote and not s.garbled}
    assert not [id for id, s in quoted.items() if folded(s.quote) not in text]


@pytest.mark.parametrize("room", ROOMS)
def test_each_claim_is_in_the_words_of_the_paper(room):
    assert not [id for id, s in statements(room).items() if not s.quote]
