"""Tests of nbs/audit/12_large.ipynb, extracted from its test cells: edit them there."""
import hashlib
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.audit.metrics import Path as Ranked
from reject_nb.audit.metrics import curve_table
from reject_nb.audit.metrics import group_metrics
from reject_nb.audit.metrics import sample_metrics
from reject_nb.audit.sorting import ordered
from reject_nb.audit.tally import Roles
from reject_nb.audit.tally import Tally
from reject_nb.audit.tally import sample_of_part

from reject_nb.audit.large import LargeAudit

def _three(n=4000, seed=3):
    "Probabilities of three classes with labels, groups and strange inputs."
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 2, (n, 3))
    p = np.exp(logits)/np.exp(logits).sum(1, keepdims=True)
    label = (p.cumsum(1) < rng.random((n, 1))).sum(1)
    names = np.array(["cat", "dog", "eel"])
    return {**{f"p_{c}": p[:, i] for i, c in enumerate(names)}, "y": names[np.minimum(label, 2)],
            "ward": np.array(["A", "B"])[(rng.random(n) < .3).astype(int)], "odd": rng.random(n) < .05}

ROLES = Roles(label="y", probabilities="p_*", group="ward", ood="odd")

def _large(table, roles):
    return LargeAudit(Tally().add(sample_of_part(table, roles)))


def test_it_says_what_an_audit_in_memory_says():
    "All columns that both have, on 20,000 rows with groups and strange inputs."
    sample = sample_of_part(_three(20_000), ROLES)
    own, other = LargeAudit(Tally().add(sample)).metrics(), sample_metrics(sample)
    for name in set(own) & set(other) - {"score"}:
        assert own[name][0] == pytest.approx(other[name][0], rel=.01, abs=1e-3), name
    assert set(other) - set(own) == {"aurc_index"}
    assert own["aurc_least"][0] <= other["aurc"][0] <= own["aurc_most"][0]


def test_groups_and_curve_are_those_in_memory():
    sample = sample_of_part(_three(20_000), ROLES)
    audit = LargeAudit(Tally().add(sample))
    rule = audit.certify(target_risk=.2)
    score = sample.scores["max_probability"]
    own, other = audit.groups(rule), group_metrics(sample, score <= rule.threshold, score)
    assert list(own["group"]) == list(other["group"])
    for name in set(own) & set(other) - {"group"}:
        assert own[name] == pytest.approx(other[name], rel=1e-3), name
    exact, curve = curve_table(Ranked(ordered(score, sample.losses))), audit.curve()
    late = curve["coverage"] > .05
    apart = np.interp(curve["coverage"], exact["coverage"], exact["risk"]) - curve["risk"]
    assert np.abs(apart[late]).max() < .01
    assert (curve["risk_low"] <= curve["risk"]).all() and (curve["risk"] <= curve["risk_high"]).all()


def test_a_rule_decides_and_keeps_its_promise_on_its_rows():
    table = _three(60_000)
    audit = _large(table, ROLES)
    p = np.column_stack([table[f"p_{c}"] for c in ("cat", "dog", "eel")])
    for per_group in (False, True):
        rule = audit.certify(target_risk=.25, per_group=per_group)
        accept = rule.decide(probabilities=p, groups=table["ward"] if per_group else None)
        assert accept.sum() == rule.n_accepted > 0 and rule.coverage == accept.mean() and rule.risk <= .25
        assert rule.n == 60_000 and rule.looked and rule.hash == audit.hash and rule.statement
    none = audit.certify(target_risk=1e-4)
    assert none.status == "infeasible" and none.threshold == -np.inf
    assert not none.decide(probabilities=p).any()
    assert audit.certify(target_risk=.9).threshold == np.inf


def test_a_rule_can_be_applied_and_saved():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    table = _three(30_000)
    rule = _large(table, ROLES).certify(target_risk=.25)
    assert type(rule).load(rule.save(tmp_path/"r.json") and tmp_path/"r.json") == rule
    assert rule.apply(table)["accept"].sum() == rule.n_accepted


def test_menu_band_and_rule_agree():
    audit = _large(_three(50_000), ROLES)
    band, menu = audit.risk_band(delta=.1), audit.frontier(delta=.1, targets=[.1, .2, .3])
    for row in menu.rows():
        rule = audit.certify(row["target_risk"], .1)
        assert (rule.coverage, rule.threshold) == (row["coverage"], row["threshold"])
        inside = band["coverage"] <= row["coverage"]
        if inside.any(): assert band["certified_risk"][np.flatnonzero(inside)[-1]] <= row["target_risk"] + .02
    assert (band["certified_risk"] >= band["risk"]).all() and menu.statement and menu.delta == .1


def test_two_scores_share_delta():
    "The better score is taken, and the promise is that of half of delta."
    rng = np.random.default_rng(8)
    u = rng.random(40_000)
    table = {"l": (rng.random(40_000) < .3*u).astype(int), "good": u, "bad": u + rng.random(40_000)}
    audit = _large(table, Roles(losses="l", scores=["good", "bad"]))
    alone = _large(table, Roles(losses="l", scores="good"))
    assert audit.certify(.1).score == "good" == audit.named(None)
    half = alone.certify(.1, .1).threshold
    assert audit.certify(.1, .2).threshold == half == audit.certify(.1, .2, "good").threshold


@pytest.mark.parametrize("wrong", [[1], [0], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
def test_tiny_and_one_sided_samples(wrong):
    audit = _large({"l": wrong, "s": np.zeros(len(wrong))}, Roles(losses="l", scores="s"))
    assert audit.n == len(wrong) and audit.certify().n_accepted in (0, len(wrong))
    assert len(audit.curve()["risk"]) == 1
    row = audit.metrics().rows()[0]
    assert row["aurc_least"] <= row["aurc"] <= row["aurc_most"] and audit.notes and audit.given


@pytest.mark.parametrize("call, name", [
    (lambda a: a.certify(target_risk=0), "target_risk"), (lambda a: a.certify(delta=1), "delta"),
    (lambda a: a.certify(score="x"), "score"), (lambda a: a.certify(per_group=1), "per_group"),
    (lambda a: a.certify(per_group=True), "per_group"), (lambda a: a.groups(), "group"),
    (lambda a: a.calibration(), "probabilities"), (lambda a: a.curve(points=1), "points"),
    (lambda a: a.curve(level=2), "level"), (lambda a: a.frontier(targets=[.2, .1]), "targets"),
    (lambda a: a.frontier(delta=0), "delta"), (lambda a: a.risk_band(score="x"), "score"),
    (lambda a: a.metrics(coverage=0), "coverage"), (lambda a: a.metrics(level=1), "level"),
    (lambda a: a.to_html(3), "path"), (lambda a: a.groups(3), "group"),
                                        (lambda a: a.certify(looked=2), "looked"),
    (lambda a: a.plot(3), "ax"), (lambda a: a.plot(level=0), "level"),
                                        (lambda a: a.frontier(method="x"), "method"),
                                        (lambda a: a.risk_band(method="y"), "method"),
                                        (lambda a: LargeAudit(None), "tally"),
    (lambda a: LargeAudit.from_table([], loss=[[0, 1], [1, 0]]), "loss"),
    (lambda a: LargeAudit.from_table([], bound=2), "bound")])
def test_arguments_are_named(call, name):
    audit = _large({"l": [0, 1], "s": [.1, .2]}, Roles(losses="l", scores="s"))
    with pytest.raises(ValueError, match=f"^{name} (must|needs)"): call(audit)


def test_a_report_is_written():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    text = _large(_three(20_000), ROLES).to_html(tmp_path/"large.html", title="Many rows")
    assert (tmp_path/"large.html").read_text() == text
    assert "<h1>Many rows</h1>" in text and "Who is rejected more?" in text and len(text) < 170_000


def test_a_score_that_certifies_nothing_is_not_taken():
    "Upside down, a score certifies nothing at .05; whichever stands first, the other is taken."
    rng = np.random.default_rng(8)
    u = rng.random(20_000)
    table = {"l": (rng.random(20_000) < .3*u).astype(int), "good": u, "upside": 1 - u}
    for names in (["good", "upside"], ["upside", "good"]):
        audit = _large(table, Roles(losses="l", scores=names))
        rule = audit.certify(.05, .1)
        assert rule.score == "good" and rule.n_accepted > 0
        assert audit.certify(.05, .1, "upside").n_accepted == 0


@pytest.mark.parametrize("heavy, said", [(90, False), (110, True), (600, True)])
def test_rows_in_one_bin_are_told(heavy, said):
    "Of 10,000 rows more than a hundred with one score; the others are spread."
    s = np.r_[np.full(heavy, .5), np.random.default_rng(1).random(10_000 - heavy)]
    audit = _large({"l": (np.arange(10_000) % 10 == 0).astype(int), "s": s}, Roles(losses="l", scores="s"))
    assert any("a hundredth of the rows lie in one bin of s" in note for note in audit.notes) == said


@pytest.mark.parametrize("wrong, said", [(0, True), (5, True), (1000, False)])
def test_few_errors_are_told(wrong, said):
    l = np.zeros(10_000)
    l[:wrong] = 1
    audit = _large({"l": l, "s": np.random.default_rng(1).random(10_000)}, Roles(losses="l", scores="s"))
    assert any(note.startswith(f"only {wrong} rows are wrong") for note in audit.notes) == said


def test_the_hash_by_hand():
    "Of every used bin: its place, its answers, its errors, as little-endian integers of eight bytes."
    sample = sample_of_part(_three(3000), ROLES)
    audit = LargeAudit(Tally().add(sample))
    text = b""
    for key in sorted(audit.tally.grids):
        grid = audit.tally.grids[key]
        bins = [k for k in range(len(grid.answers)) if grid.answers[k] > 0]
        text += b"\0".join(word.encode() for word in key)
        for values in (bins, [grid.answers[k] for k in bins], [grid.wrong[k] for k in bins]):
            text += b"".join(int(value).to_bytes(8, "little") for value in values)
    assert audit.hash == hashlib.sha256(text).hexdigest()


def test_what_was_counted_in_words():
    audit = LargeAudit(Tally().add(sample_of_part(_three(3000), ROLES)))
    said = audit.given
    assert said[0].startswith("3,000 rows, counted between ") and "3 classes: cat, dog, eel" in said
    assert "2 groups: A, B" in said and any(text.startswith("scores of uncertainty: ") for text in said)
    few = {name: column[:15] for name, column in _three(3000).items()}
    notes = LargeAudit(Tally().add(sample_of_part(few, ROLES))).notes
    wrong = LargeAudit(Tally().add(sample_of_part(few, ROLES))).counts["max_probability"].n_errors
    assert any(note.startswith(f"only {wrong} rows are wrong") for note in notes)
    assert "more than a hundredth of the rows lie in one bin of max_probability: nothing parts them" in notes
