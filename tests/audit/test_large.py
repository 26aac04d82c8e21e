"""Tests of nbs/audit/09_large.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tempfile
from pathlib import Path
from reject_nb.audit.metrics import Path as Ranked
from reject_nb.audit.metrics import curve_table
from reject_nb.audit.metrics import group_metrics
from reject_nb.audit.metrics import sample_metrics
from reject_nb.audit.sorting import Counts
from reject_nb.audit.sorting import count_errors
from reject_nb.audit.sorting import measure
from reject_nb.audit.sorting import ordered
from reject_nb.audit.table import TableError
from reject_nb.core.tails import clopper_pearson_upper
from unittest.mock import patch

from reject_nb.audit.large import (
    BINS, GridCounts, LargeAudit, Roles, Tally, _row_groups, bin_of, is_large, read_tally, sample_of_part,
    tally_of, upper_edges, upper_limits, widest,
)

EDGES = (0., -0., 1e-320, -1e-320, 2.**-126, -2.**-126, 1e-30, .1, 1/3, 1., -1., 1e30, -1e30, 1e300, -1e300,
         np.inf, -np.inf)

@pytest.mark.parametrize("x", EDGES)
def test_an_edge_is_the_last_float_of_its_bin(x):
    here = bin_of([x])
    edge = upper_edges(here)
    assert edge[0] >= x and bin_of(edge) == here
    if edge[0] < np.inf: assert bin_of([np.nextafter(edge[0], np.inf)]) == here + 1


def test_bins_keep_the_order():
    rng = np.random.default_rng(0)
    x = np.sort(np.concatenate([rng.normal(size=2000), rng.normal(size=2000)*1e-20,
                                10.**rng.uniform(-45, 45, 2000), EDGES]))
    places = bin_of(x)
    assert (np.diff(places) >= 0).all() and places.min() >= 0 and places.max() < BINS
    assert (x <= upper_edges(places)).all()
    fine = (np.abs(x) > 1e-37) & (np.abs(x) < 1e37)
    assert (np.abs(upper_edges(places[fine]) - x[fine]) <= 2.**-12*np.abs(x[fine])).all()


def test_single_precision_falls_into_the_same_bins():
    x = np.random.default_rng(1).random(1000).astype(np.float32)
    assert (bin_of(x) == bin_of(x.astype(float))).all()


def _laws(n, seed=0):
    "Scores as they come, with errors that follow them; none has ties wider than a bin."
    rng = np.random.default_rng(seed)
    u, z = rng.random(n), rng.normal(4, 3, n)
    soft = 1/(1 + np.exp(np.abs(z)))                       # 1 - max p of two classes
    far = np.exp(3*rng.normal(size=n))
    return {"uniform": (rng.random(n) < .3*u, u), "softmax": (rng.random(n) < soft, soft),
            "signed": (rng.random(n) < .3*u, np.log(u)), "negative": (rng.random(n) < .3*u, -1/u),
            "far": (rng.random(n) < u**3/2, np.sort(far)[np.argsort(np.argsort(u))]),
            "float32": (rng.random(n) < .3*u, u.astype(np.float32)), "rare": (rng.random(n) < .003*u, u)}

LAWS = tuple(_laws(2))

@pytest.mark.parametrize("law", LAWS)
def test_bounds_hold_the_exact_measures(law):
    "Every area by its one definition, that of exact counts; the bounds are a thousandth apart."
    wrong, scores = _laws(200_000)[law]
    exact, binned = measure(count_errors(wrong, scores)), measure(GridCounts().update(wrong, scores).counts())
    assert (exact.n, exact.n_errors, exact.risk) == (binned.n, binned.n_errors, binned.risk)
    for name, width in (("aurc", 1e-3), ("augrc", 1e-3), ("auroc", 1e-3)):
        value, area = getattr(exact, name).value, getattr(binned, name)
        assert area.low*(1 - 1e-12) <= value <= area.high*(1 + 1e-12)
        assert area.high - area.low <= width*value and abs(area.value - value) <= .1*width*value
    for name in ("se_aurc", "se_augrc", "se_auroc", "se_e_aurc"):
        assert getattr(binned, name) == pytest.approx(getattr(exact, name), rel=1e-3)
    assert binned.average_precision is None and binned.fpr95 is None


@pytest.mark.parametrize("law", LAWS)
def test_parts_add_up_in_any_order_and_on_any_machine(law):
    wrong, scores = _laws(5000)[law]
    cut = np.array_split(np.arange(5000), [1, 1, 700, 4999])
    parts = [pickle.loads(pickle.dumps(GridCounts().update(wrong[c], scores[c]))) for c in cut]
    whole, total = GridCounts().update(wrong, scores), sum(parts[1:], parts[0])
    back = sum(parts[:-1], parts[-1])
    for other in (total, back):
        assert (whole.answers == other.answers).all() and (whole.wrong == other.wrong).all()


@pytest.mark.parametrize("wrong, scores, name",
                         [([2], [.1], "wrong"), ([0, 1], [.1], "wrong"), ([0], [np.nan], "scores"),
                                                 ([0], ["x"], "scores"), (None, [.1], "wrong")])
def test_bad_rows_are_named(wrong, scores, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): GridCounts().update(wrong, scores)


def test_nothing_counted():
    with pytest.raises(ValueError, match="rows must be counted"): GridCounts().counts()
    with pytest.raises(TypeError): GridCounts() + 1


def test_limits_and_widest_agree():
    "A threshold passes where its limit is at most the target, and the widest such is found."
    wrong, scores = _laws(60_000)["uniform"]
    counts = GridCounts().update(wrong, scores).counts()
    limits = upper_limits(counts, .1)
    assert (limits > counts.risk).all()
    for target in (.001, .03, .06, .1, .2, .5):
        good = np.flatnonzero((limits <= target) & (counts.risk < target))
        assert widest(counts, target, .1) == (good[-1] if len(good) else -1)


def test_a_limit_is_that_of_clopper_and_pearson():
    counts = GridCounts().update(np.arange(40) % 8 == 7, np.arange(40.)).counts()
    for g in (0, 7, 39):
        own = clopper_pearson_upper(int(counts.errors[g]), int(counts.accepted[g]), .1/BINS)
        assert upper_limits(counts, .1)[g] == pytest.approx(own, rel=1e-9)
    assert upper_limits(GridCounts().update([1, 1], [.1, .2]).counts(), .1).tolist() == [1., 1.]


def test_levels_are_kept_at_ten_thresholds_after_looking():
    "The risk equals the target everywhere: ten thresholds at level .01, any passes in .1 at most."
    rng, repeats = np.random.default_rng(5), 4000
    size = rng.multinomial(400, [.1]*10, repeats)
    accepted, errors = np.cumsum(size, 1), np.cumsum(rng.binomial(size, .2), 1)
    false = sum(widest(Counts(scores=np.arange(10.), accepted=m, errors=k, binned=True), .2, .01*BINS) >= 0
                for m, k in zip(accepted, errors))
    assert .02*repeats < false <= .1*repeats + 3*(.09*repeats)**.5


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

def _same(a, b):
    "Whether two tallies are equal, sums of floats to rounding."
    grids = a.grids.keys() == b.grids.keys() and a.ood.keys() == b.ood.keys()
    pairs = [(a.grids[k], b.grids[k]) for k in a.grids] + [(a.ood[k], b.ood[k]) for k in a.ood]
    equal = all((x.answers == y.answers).all() and (x.wrong == y.wrong).all() for x, y in pairs)
    return grids and equal and np.allclose(a.confidence, b.confidence, rtol=1e-12)


def test_all_ways_of_reading_count_the_same():
    "Row groups, one large row group, several files, frames of three kinds, and all at once."
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    import pandas as pd
    import polars as pl
    table = _three()
    whole = Tally().add(sample_of_part(table, ROLES))
    pq.write_table(pa.table(table), tmp_path/"a.parquet", row_group_size=700)
    pq.write_table(pa.table(table).slice(0, 1000), tmp_path/"b.parquet")
    pq.write_table(pa.table(table).slice(1000), tmp_path/"c.parquet")
    (tmp_path/"folder").mkdir()
    pq.write_table(pa.table(table), tmp_path/"folder"/"part.0.parquet")
    frames = [[kind(table)] for kind in (pd.DataFrame, pl.DataFrame, pa.table)]
    pd.DataFrame(table).to_csv(tmp_path/"a.csv", index=False)
    for source in (tmp_path/"a.csv", table, pd.DataFrame(table), pl.DataFrame(table), tmp_path/"a.parquet",
                   str(tmp_path/"a.parquet"),
                   [tmp_path/"b.parquet", tmp_path/"c.parquet"], tmp_path/"folder", *frames):
        assert _same(read_tally(source, ROLES), whole)
    assert sum(g.answers.sum() for g in whole.grids.values()) == 4000
    assert set(whole.ood) == {"max_probability"}


def test_what_is_large():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    import dask.dataframe as dd
    import pandas as pd
    path = tmp_path/"a.parquet"
    pq.write_table(pa.table(_three(100)), path)
    (tmp_path/"b.parquet").write_text("no")
    assert is_large(dd.from_pandas(pd.DataFrame(_three(50)), npartitions=1))
    for table in (path, tmp_path, tmp_path/"b.parquet", tmp_path/"c.parquet", _three(5),
                  "x.csv"): assert not is_large(table)
    with patch.dict(is_large.__globals__, MOST_ROWS=99):
        assert is_large(path) and is_large(str(tmp_path)) and not is_large(tmp_path/"b.parquet")


def test_large_row_groups_are_cut():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    pq.write_table(pa.table(_three()), tmp_path/"a.parquet")
    with patch.dict(_row_groups.__globals__, STEP=100):
        pieces = list(_row_groups(tmp_path/"a.parquet", ROLES.columns))
    assert len(pieces) == 40 and _same(tally_of(pieces, ROLES), Tally().add(sample_of_part(_three(), ROLES)))


@pytest.mark.parametrize("change, words", [
    (("p_dog", 2500, np.nan), "column 'p_dog', row 2501"), (("p_dog", 2500, 2.), "row 2501"),
    (("y", 2500, None), "column 'y', row 2501"), (("y", 2500, "cow"), "row 2501")])
def test_an_error_names_the_row_of_the_file(change, words):
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    name, row, value = change
    table = {k: np.array(v, dtype=object if v.dtype.kind == "U" else None) for k, v in _three().items()}
    table[name][row] = value
    pq.write_table(pa.table(table), tmp_path/"a.parquet", row_group_size=700)
    with pytest.raises(TableError) as error: read_tally(tmp_path/"a.parquet", ROLES)
    assert words in str(error.value) and error.value.row in (2501, None)


@pytest.mark.parametrize("table, words", [(3, "table must be"), ("nothing.parquet", "there is none"),
                                          ([], "must hold rows"), ("nothing.txt", "there is none")])
def test_what_cannot_be_read(table, words):
    with pytest.raises(ValueError, match=words): read_tally(table, ROLES)


def test_only_zero_and_one_can_be_counted():
    with pytest.raises(ValueError, match="^losses must be 0 or 1"):
        tally_of([{"l": [0., .5], "s": [.1, .2]}], Roles(losses="l", scores="s"))
    with pytest.raises(ValueError, match="^group must have fewer"):
        tally_of([{"l": np.zeros(60), "s": np.zeros(60), "g": np.arange(60)}],
                 Roles(losses="l", scores="s", group="g"))
    with pytest.raises(TableError, match="is missing"): tally_of([{"l": [0.], "s": [0.]}],
                                                                 Roles(losses="x", scores="s"))


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
    for name in set(own) & set(other) - {"group"}: assert own[name] == pytest.approx(other[name],
                                                                                     rel=1e-3), name
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


def test_dask_counts_the_same():
    "Nine partitions, empty ones among them, through two rounds of the tree."
    import dask
    import dask.dataframe as dd
    import pandas as pd
    table = pd.DataFrame(_three(900))
    frame = dd.from_pandas(table, npartitions=5)
    frame = dd.concat([frame, dd.from_pandas(table[:400], npartitions=4).query("p_cat > 2")])
    with dask.config.set(scheduler="synchronous"): found = read_tally(frame, ROLES)
    assert _same(found, Tally().add(sample_of_part(table, ROLES)))
    with dask.config.set(scheduler="synchronous"), pytest.raises(TableError, match="is missing"):
        LargeAudit.from_table(frame, label="nothing", probabilities="p_*")


def _part(first):
    "A partition that takes a while."
    import time

    import pandas as pd
    time.sleep(.15)
    return pd.DataFrame(_three(2000, seed=int(first)))


@pytest.mark.slow
def test_a_worker_may_die():
    "Two workers, one killed half-way: the same counts, every row once."
    import os
    import signal
    import threading

    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster
    whole = sum((Tally().add(sample_of_part(_three(2000, seed=i), ROLES)) for i in range(40)), Tally())
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        pids = [worker.pid for worker in cluster.workers.values()]
        killer = threading.Timer(2., os.kill, (pids[0], signal.SIGKILL))
        killer.start()
        found = read_tally(dd.from_map(_part, range(40), meta=_part(0)), ROLES)
        killer.join()
    assert _same(found, whole) and sum(g.answers.sum() for g in found.grids.values()) == 80_000
