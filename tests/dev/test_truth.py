"""Tests of nbs/dev/09_truth.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest
import tempfile
from contextlib import contextmanager
from pathlib import Path
from reject_nb.dev import truth
from types import SimpleNamespace
from unittest import mock

from reject_nb.dev.truth import stored_files, there_is, typed_in

@pytest.mark.parametrize("call, expected", [
    ("claim('sdr/a', measured=x, holds=x > 1)", 0),
    ("claim('sdr/a', measured=f'{x:.2f}', holds=bool(x > 1))", 0),
    ("claim('sdr/a', measured=x, holds=x > 1, falsified=False)", 1),
    ("claim('sdr/a', measured=x, holds=x > 1, falsified=-x > 1)", 0),
    ("claim('sdr/a', measured=3)", 1), ("claim('sdr/a', -.5)", 1),
    ("claim('sdr/a', measured='three', holds=True)", 2),
    ("claim('sdr/a', f'three', x > 1)", 1), ("claim('sdr/a', measured=x, holds=bool(True))", 1),
    ("claim('sdr/a', measured=y, holds=x > 1)", 1), ("claim('sdr/a', measured=x, holds=not False)", 1),
    ("claim('sdr/a', measured='a' + 'b', holds=x > 1)", 1),
    ("claim('sdr/a', measured=f'{y}', holds=x > 1)", 1),
    ("y = x + 1\nclaim('sdr/a', measured=y, holds=x > 1)", 0)])
def test_what_is_typed_is_found(call, expected):
    assert len(typed_in(f"x = compute()\ny = 'said'\n{call}")) == expected


@pytest.mark.parametrize("evidence, expected", [
    ("sdr/appendix_a.csv", True), ("sdr/nothing.csv", False), ("sdr/90_paper#zzzzzzzz", False),
    ("sdr/89_nothing#a", False)])
def test_evidence_is_looked_up(evidence, expected):
    assert there_is(evidence) is expected


def test_what_only_a_full_run_computes_is_stored():
    "A table beside a picture is written with it, unless a notebook stores it under its whole name."
    files = ("kept.csv", "kept_2.csv", "weights.npz", "benchmark_a.csv", "benchmark_b.csv", "benchmark_b.png",
             "curve.csv", "curve.png", "kept.png", "loose.csv", "run_1.csv", "run_2.csv", "run_2.png")
    cell = SimpleNamespace(cell_type="code", source="stored('sdr/kept', f)\nstored(f'sdr/run_{k}', f)")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"figures"/"sdr").mkdir(parents=True)
        for name in files: (Path(folder)/"figures"/"sdr"/name).write_text("")
        places = {"root": lambda: Path(folder), "notebook_paths": lambda: [Path("nbs/sdr/90_paper.ipynb")],
                  "read": lambda path: SimpleNamespace(cells=[cell])}
        with mock.patch.dict(stored_files.__globals__, places): found = stored_files("sdr")
    assert found == ["benchmark_a.csv", "kept.csv", "run_1.csv", "weights.npz"]


@contextmanager
def _told(statements=(), records=(), **more):
    "One module, sdr, with these statements and records, and a figures folder."
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"figures"/"sdr").mkdir(parents=True)
        (Path(folder)/"figures"/"sdr"/"t.csv").write_text("a\n1\n")
        stand_ins = dict(root=lambda: Path(folder), ROOMS=["sdr"], statements=lambda room: dict(statements),
                         load_claims=lambda where: dict(records))
        with mock.patch.dict(truth.check_truth.__globals__, stand_ins | more):
            yield Path(folder)/"figures"/"sdr"


def _statement(**change):
    return SimpleNamespace(**dict(where="Table 1", kind="number", says="x", reported=.5, reason="print",
                                  missing="", cause="", evidence="sdr/t.csv", status="match") | change)


@pytest.mark.parametrize("said, record, wrong", [
    ({}, {}, []), ({}, {"reported": .5 + 4e-6}, []), ({}, {"reported": .50001}, ["reported is not that"]),
    ({}, {"where": "Table 2"}, ["where is not that"]),
    ({}, {"says": "y", "reason": ""}, ["says is", "reason is"]),
    ({}, {"reported": "x"}, ["reported is not that"]),
    ({"cause": "erratum"}, {}, ["matches, and has a cause"]),
    ({"cause": "erratum"}, {"status": "differs"}, []),
    ({}, {"status": "differs"}, ["evidence does not exist"]),
    ({"cause": "erratum", "evidence": "sdr/no.csv"}, {"status": "differs"}, ["does not exist: sdr/no.csv"]),
    ({"missing": "no data"}, {"status": "not run"}, []),
    ({"missing": "no data"}, {}, ["is recorded as match"]),
    ({}, {"status": "not run"}, ["is recorded as not run"])])
def test_what_is_wrong_between_a_statement_and_its_record(said, record, wrong):
    with _told({"sdr/a": _statement(**said)}, {"sdr/a": _statement(**record)}):
        found = truth.check_records()
    assert len(found) == len(wrong) and all(line.startswith("sdr/a: ") for line in found)
    assert all(words in line for words, line in zip(wrong, found))


def test_statements_and_records_belong_together():
    with _told({"sdr/a": _statement(), "sdr/b": _statement()},
               {"sdr/b": _statement(), "sdr/d": _statement(), "sdr/c": _statement(), "ood/e": _statement()}):
        assert truth.check_records() == ["sdr/a: no cell measures it; run `make figures`",
                                         "sdr/c: is on record and not in claims.toml",
                                         "sdr/d: is on record and not in claims.toml"]


@pytest.mark.parametrize("open_, wrong", [(0, 0), (5, 0), (6, 1)])
def test_few_may_be_unexplained(open_, wrong):
    causes = ["unexplained"]*open_ + ["erratum"]*3
    with _told({f"sdr/{i}": _statement(cause=cause) for i, cause in enumerate(causes)}):
        found = truth.check_unexplained()
    assert len(found) == wrong
    assert all(line.startswith(f"{open_} claims are unexplained: sdr/0, sdr/1") for line in found)


def test_items_and_captions_and_typed_values_are_looked_for():
    more = dict(numbered_items=lambda room: {"states": []}, uncovered=lambda room: ["Lemma 1", "Table 2"],
                captions=lambda room: {"a": "One sentence.", "b": "Two. Sentences.", "c": "No picture."},
                _code_of=lambda path: "claim('sdr/a', measured=3)\nclaim('sdr/b', measured=f(3))")
    with _told(**more) as figures:
        for name in "abd": (figures/f"{name}.png").write_bytes(b"")
        assert truth.check_items() == ["sdr: claims.toml lists no items", "sdr: no claim names Lemma 1",
                                       "sdr: no claim names Table 2"]
        assert truth.check_captions() == ["sdr/d: no caption in claims.toml",
                                          "sdr/c: a caption without a picture",
                                          "sdr/b: a caption is one sentence"]
        assert len(truth.check_typed()) == 1 and "measured is typed" in truth.check_typed()[0]
        everything = truth.check_truth()
    assert len(everything) == 3 + 3 + 1

WHOLE = {"command": "make", "versions": {"numpy": "2"}, "seconds": 1.5}

@pytest.mark.parametrize("entry, good", [
    (WHOLE, True), (WHOLE | {"seconds": 0}, True), (WHOLE | {"seconds": truth.NOT_RECORDED}, True),
    (WHOLE | {"seconds": "soon"}, False), (WHOLE | {"command": ""}, False), (WHOLE | {"versions": {}}, False),
    ({}, False), ({"command": "make", "seconds": 1}, False)])
def test_stored_files_say_what_made_them(entry, good):
    made = {"t.csv": entry, "gone.csv": WHOLE}
    with _told(stored_files=lambda room: ["t.csv"], load_made=lambda room, where: made):
        found = truth.check_stored()
    assert found[-1] == "figures/sdr/made.json names gone.csv, which is not there"
    assert found[:-1] == ["figures/sdr/t.csv: made.json does not say what made it"]*(not good)


def test_code_leaves_magic_out():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.ipynb"
        cells = [nbformat.v4.new_code_cell("%matplotlib inline\nx = 1\n!ls"),
                 nbformat.v4.new_markdown_cell("y = 2")]
        path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
        assert truth._code_of(path) == "x = 1"
