"""Tests of nbs/audit/13_door.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path as FilePath
from reject_nb.audit.large import LargeAudit
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from reject_nb.audit.door import Audit

N = 400
DIGITS = load_digits(return_X_y=True)

def _arrays(seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 1, 1], N)
    y = np.array([rng.choice(3, p=row**2/(row**2).sum()) for row in p])
    return y, p, rng.choice(["x", "y"], N)


def _answers(audit):
    "What an audit says, as text."
    rule = audit.certify(.3, delta=.2)
    return [audit.metrics().to_csv(), audit.groups(rule).to_csv(), audit.calibration().to_csv(),
            audit.frontier(.2).to_csv(), audit.curve().to_csv(),
            audit.risk_band().to_csv(), rule.threshold, rule.hash, rule.statement]


@pytest.mark.parametrize("large", [False, True])
def test_all_may_be_answered_and_small_floats_are_numbers(large):
    "At coverage 1 the risk is that of all; a half-precision level counts as the number that it is."
    y, p, g = _arrays()
    cells = {"y": y, "p_0": p[:, 0], "p_1": p[:, 1], "p_2": p[:, 2], "g": g}
    asked = dict(label="y", probabilities="p_*", group="g")
    audit = (LargeAudit if large else Audit).from_table([cells] if large else cells, **asked)
    whole, half, level = audit.metrics(coverage=1), np.float16(.9), float(np.float16(.9))
    assert whole["risk_at_coverage"][0] == pytest.approx(whole["risk"][0])
    assert sum(audit.groups(coverage=1)["accepted"]) == N
    for ask in (audit.metrics, audit.groups, audit.curve):
        assert ask(level=half).to_csv() == ask(level=level).to_csv()
    assert audit.metrics(coverage=half).to_csv() == audit.metrics(coverage=level).to_csv()
    for bad in (0., 1.1):
        for ask in (audit.metrics, audit.groups):
            with pytest.raises(ValueError, match="^coverage must be"): ask(coverage=bad)


def test_all_tables_give_the_same_answers():
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    y, p, g = _arrays()
    cells = {"y": y, "p_0": p[:, 0], "p_1": p[:, 1], "p_2": p[:, 2], "g": g}
    own = _answers(Audit(y, probabilities=p, groups=g))
    asked = dict(label="y", probabilities="p_*", group="g")
    with tempfile.TemporaryDirectory() as folder:
        path = FilePath(folder)/"a.csv"
        pl.DataFrame(cells).write_csv(path)
        pl.DataFrame(cells).write_parquet(path.with_suffix(".parquet"))
        pd.DataFrame(cells).to_csv(path.with_name("b.csv"), index=False)
        tables = [cells, pd.DataFrame(cells), pl.DataFrame(cells), pl.LazyFrame(cells), pa.table(cells), path,
                  str(path.with_suffix(".parquet")), path.with_name("b.csv")]
        for table in tables: assert _answers(Audit.from_table(table, **asked)) == own


@pytest.mark.parametrize("kind", ["probabilities", "margin"])
@pytest.mark.parametrize("labels", ["numbers", "texts"])
def test_estimators_of_both_kinds(kind, labels):
    from sklearn.svm import LinearSVC
    X, names = DIGITS[0], DIGITS[1].astype(str) if labels == "texts" else DIGITS[1]
    kinds = {"probabilities": LogisticRegression(max_iter=300), "margin": LinearSVC()}
    fitted = kinds[kind].fit(X[:300], names[:300])
    audit = Audit.from_estimator(fitted, X[300:], names[300:])
    np.testing.assert_allclose(audit.losses.mean(), 1 - fitted.score(X[300:], names[300:]))
    assert list(audit.scores) == ["max_probability" if kind == "probabilities" else "margin"]


def test_frames_pass_through_pipelines():
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    frame = pd.DataFrame({"a": ["u", "v"]*50, "b": np.arange(100.)})
    target = np.where(frame["a"] == "u", "yes", "no")
    fitted = make_pipeline(make_column_transformer((OneHotEncoder(), ["a"]), remainder="passthrough"),
                           LogisticRegression()).fit(frame, target)
    assert Audit.from_estimator(fitted, frame, target).losses.mean() < .1


def test_groups_are_told_apart():
    y, p, g = _arrays(1)
    audit = Audit(y, probabilities=p, groups=g)
    rule = audit.certify(.4, delta=.2, per_group=True)
    found, plain = audit.groups(rule), audit.groups()
    assert found["accepted"].sum() == rule.n_accepted and abs(plain["accepted"].sum() - .8*N) <= 1
    with pytest.raises(ValueError, match="groups must be given"): Audit(y, probabilities=p).groups()
    with pytest.raises(ValueError, match="probabilities and labels"): Audit(losses=y/2,
        scores=p[:, 0]).calibration()


def test_attributes_are_those_of_the_sample():
    y, p, g = _arrays(2)
    audit = Audit(y, probabilities=p, groups=g)
    assert audit.n == N and audit.classes == ("0", "1", "2") and audit.group_names == ("x",
        "y") and audit.hash == audit.sample.hash
    with pytest.raises(AttributeError): audit.nothing
    assert repr(audit).startswith("Audit of 400 rows")


def test_the_page_is_written():
    y, p, g = _arrays(3)
    audit = Audit(y, probabilities=p)
    with tempfile.TemporaryDirectory() as folder:
        page = audit.to_html(FilePath(folder)/"a.html", title="Mine")
        assert (FilePath(folder)/"a.html").read_text() == page and "Mine" in page
        with pytest.raises(ValueError, match="^path must be the name of a file"): audit.to_html(folder)
        assert sorted(p.name for p in FilePath(folder).iterdir()) == ["a.html"]
    with pytest.raises(ValueError, match="path must"): audit.to_html(3)


@pytest.mark.parametrize("bound", [.05, .04, 1e-3])
def test_small_losses_have_a_target_below_their_bound(bound):
    rng = np.random.default_rng(4)
    score = rng.random(2000)
    audit = Audit(losses=bound*(rng.random(2000) < .1*score), scores=score, bound=bound)
    rule, row = audit.certify(delta=.2), audit.metrics().rows()[0]
    assert rule.target_risk == .05*bound and 0 < rule.coverage < 1 and rule.status == "certified"
    assert row["coverage_at_risk_low"] < row["coverage_at_risk_high"] <= 1
    assert f"of at most {.05*bound:g}" in rule.statement and rule.target_risk == audit.metrics().target_risk
    assert "What this does not say" in audit.to_html()


@pytest.mark.parametrize("bad", [np.array(["auto", "s"]), np.zeros((2, 2)), {"auto"}, b"auto"])
def test_names_are_texts(bad):
    audit = Audit(losses=[0, 1, 0, 0]*50, scores=np.arange(200.))
    for call, name in ((audit.frontier, "score"), (audit.certify(.4).apply, "group")):
        more = {} if name == "score" else {"table": {"score": [1.]}, "scores": "score"}
        with pytest.raises(ValueError, match=f"^{name} must be"): call(**more, **{name: bad})


def test_a_frame_is_no_place_to_draw():
    "It has a method `plot`, as axes have."
    import pandas as pd
    audit = Audit(losses=[0, 1, 0, 0]*50, scores=np.arange(200.))
    with pytest.raises(ValueError, match="^ax must be axes"): audit.plot(ax=pd.DataFrame({"a": [1]}))
