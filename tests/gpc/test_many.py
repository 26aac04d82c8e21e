"""Tests of nbs/gpc/30_many.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.gpc import GPPosterior
from reject_nb.gpc.queries import minimal_perturbation
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.safety import is_safe
from reject_nb.gpc.softmax import fit_multiclass_gpc

from reject_nb.gpc.many import (
    certified_radius, certify_many, command_gpc, load_model, read_points, read_rows, root_ranges,
)

def _plane(seed=0, n=40, likelihood="probit"):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(n, 2)), .6*rng.normal(size=n), rng.uniform(.05, .6, n), [.8, .9], 4.,
                       likelihood), rng


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("seed", range(5))
def test_root_ranges_enclose_what_sampling_sees_and_what_the_search_finds(seed, likelihood):
    post, rng = _plane(seed, likelihood=likelihood)
    X = np.vstack([3*rng.normal(size=(70, 2)), [[60., 60.]]])
    half = 10.**rng.uniform(-3, 0, (71, 2))
    half[3] = 0.
    got = root_ranges(post, X - half, X + half, .01)
    for i in range(71):
        p = post.predict_proba(X[i] + half[i]*rng.uniform(-1, 1, (100, 2)))
        assert got.min_low[i] <= p.min() + 1e-9 and p.max() <= got.max_high[i] + 1e-9
        assert got.min_low[i] <= got.min_up[i] and got.max_low[i] <= got.max_high[i]
        if i % 10 == 0:
            r = classification_range(post, X[i] - half[i], X[i] + half[i], tol=1e-4)
            assert got.min_low[i] <= r.min_upper and r.min_lower <= got.min_up[i] + 1e-12
            assert got.max_high[i] >= r.max_lower and r.max_upper >= got.max_low[i] - 1e-12


def test_rows_are_those_of_single_calls():
    post, rng = _plane(1)
    X = rng.normal(size=(6, 2))
    for norm in ("inf", 2):
        found = certify_many(post, X, .2, norm=norm, questions=("range", "verdict", "radius"),
                             time_limit=None)
        assert len(found) == 6 and (found.index == np.arange(6)).all()
        assert (found.label == post.predict(X)).all()
        assert (found.status == "optimal").all() and (found.seconds > 0).all() and (found.n_boxes > 0).all()
        assert (found.min_upper - found.min_lower <= .02).all() and (found.max_upper
                                                                     - found.max_lower <= .02).all()
        for i in range(0, 6, 2):
            assert found.verdict[i] == str(is_safe(post, X[i], .2, norm=norm).status)
            one = minimal_perturbation(post, X[i], norm=norm)
            assert (found.radius[i], found.attack[i]) == (one.certified, one.attack)
        assert ((found.radius >= .2) <= (found.verdict == "safe")).all()
        assert ((found.attack <= .2) <= (found.verdict == "unsafe")).all()
        np.testing.assert_array_equal(certified_radius(post, X, norm=norm, time_limit=None), found.radius)


def test_an_interrupted_call_goes_on():
    post, rng = _plane(2)
    X = rng.normal(size=(150, 2))
    with tempfile.TemporaryDirectory() as folder:
        path, seen = Path(folder)/"deep"/"rows.csv", []
        def stop(done, total):
            seen.append((done, total))
            if len(seen) == 1: raise KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt):
            certify_many(post, X, .1, time_limit=None, csv=path, progress=stop)
        assert seen == [(64, 150)] and len(read_rows(path)) == 64
        path.write_text(path.read_text() + "half a row,3")                    # as a crash leaves it
        whole = certify_many(post, X, .1, time_limit=None, csv=path, progress=lambda done,
                             total: seen.append((done, total)))
        assert seen[1:] == [(64, 86), (86, 86)]
        again = certify_many(post, X[::-1], .1, time_limit=None, csv=path,
                             progress=lambda *_: seen.append("asked"))
        plain = certify_many(post, X, .1, time_limit=None)
        for got, order in ((whole, slice(None)), (again, slice(None, None, -1))):
            for name in ("verdict", "label"):
                np.testing.assert_array_equal(getattr(got, name), getattr(plain, name)[order])
            for name in ("min_lower", "max_upper"):      # chunks differ, and with them roundings
                np.testing.assert_allclose(getattr(got, name), getattr(plain, name)[order], rtol=1e-6,
                                           atol=1e-12)
        assert "asked" not in seen and (again.index == np.arange(150)).all()
        certify_many(post, X[:3], .11, csv=path, progress=lambda *_: seen.append("asked"))
        assert seen[-1] == "asked"       # another radius is another question
        (Path(folder)/"other.csv").write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="csv"):
            certify_many(post, X, .1, time_limit=None, csv=Path(folder)/"other.csv")


@pytest.mark.parametrize("old, new, says", [(",safe,", ",s@fe,", "s@fe"), ("0.", "0x", "0x"),
                                            ("certified", "certain", "certain"),
                                            ("key", "kex", "a new file")])
def test_a_damaged_file_is_named(old, new, says):
    post, rng = _plane()
    X = rng.normal(size=(6, 2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"rows.csv"
        certify_many(post, X, .01, time_limit=None, csv=path)
        text = path.read_text()
        if old == "certified": old, new = text.splitlines()[1].split(",")[-1], "certain"
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(ValueError, match=f"^csv must be .*{says}"):
            certify_many(post, X, .01, csv=path)
        path.write_bytes(b"key\xff")
        with pytest.raises(ValueError, match="^csv must be a file of text"): read_rows(path)


def test_several_classes_and_text_labels():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(10, 2)) + c for c in ([0, 2.], [2, -1], [-2, -1])])
    post = fit_multiclass_gpc(X, np.repeat(["a", "b", "c"], 10), max_evaluations=0, lengthscale=1.5,
                              variance=4.)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"rows.csv"
        for _ in range(2):
            found = certify_many(post, X[::10], .1, time_limit=None, tol=.1, csv=path)
            assert found.label.tolist() == ["a", "b", "c"] and (found.verdict == "safe").all()
            p = post.predict_proba(X[::10])[np.arange(3), np.arange(3)]
            assert (found.min_lower <= p).all() and (p <= found.max_upper).all()
    assert found.certified_accuracy(["a", "b", "b"]) == pytest.approx(2/3)


def test_workers_and_no_points():
    post, rng = _plane(3)
    X = rng.normal(size=(70, 2))
    one = certify_many(post, X, .1, time_limit=None)
    two = certify_many(post, X, .1, time_limit=None, n_jobs=1)
    np.testing.assert_allclose(one.min_lower, two.min_lower, rtol=1e-6, atol=1e-12)
    assert len(certify_many(post, np.empty((0, 2)), .1)) == 0


def test_the_command():
    import argparse
    post, rng = _plane(1)
    X = rng.normal(size=(12, 2))
    with tempfile.TemporaryDirectory() as folder:
        model, points = post.save(Path(folder)/"model"), Path(folder)/"points.csv"
        out = Path(folder)/"out.csv"
        points.write_text("a,b\n" + "\n".join(f"{a!r},{b!r}" for a, b in X.tolist()))
        asked = dict(model=str(model), points=str(points), radius=None, norm="inf", limits=None, tol=.02,
                     seconds=1., radii=False, jobs=None)
        assert command_gpc(argparse.Namespace(**{**asked, "out": str(out), "radius": .1,
                                                 "limits": [-9., 9.]})) == 0
        rows = read_rows(out)
        assert len(rows) == 12 and {row["verdict"] for row in rows.values()} <= {"safe", "unsafe"}
        radii = out.with_name("radii.csv")
        assert command_gpc(argparse.Namespace(**{**asked, "out": str(radii), "norm": "2"})) == 0
        assert all(row["radius"] > 0 for row in read_rows(radii).values())
        points.write_text("1,2\n3\n")
        with pytest.raises(ValueError, match="points.csv"): read_points(points, 2)
        points.write_text("nothing,here\nat,all\n")
        with pytest.raises(ValueError, match="points.csv"): read_points(points, 2)
        with pytest.raises(ValueError): load_model(points)

BAD_MANY = [dict(radius=-1.), dict(radius=None), dict(questions=()), dict(questions=("all",)),
            dict(questions="range"),
            dict(tol=0.), dict(n_jobs=0), dict(progress=3), dict(norm=3), dict(dims=[9]),
            dict(limits=(5., 6.)),
            dict(X=[[1.]]), dict(post=3), dict(csv=3), dict(rigorous=1)]

@pytest.mark.parametrize("bad", BAD_MANY)
def test_bad_input_names_itself(bad):
    post, _ = _plane()
    with pytest.raises(ValueError, match=next(iter(bad))): certify_many(**{"post": post,
        "X": np.zeros((2, 2)), "radius": .1, **bad})


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_rows():
    distributed = pytest.importorskip("distributed")
    from joblib import parallel_config
    post, rng = _plane(3)
    X = rng.normal(size=(200, 2))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster), parallel_config(backend="dask"):
        got = certify_many(post, X, .1, time_limit=None, n_jobs=-1)
    np.testing.assert_allclose(got.min_lower, certify_many(post, X, .1, time_limit=None).min_lower,
                               rtol=1e-6, atol=1e-12)


def test_a_function_of_progress_takes_two_numbers():
    post, told = _plane(0)[0], []
    for progress in (len, int, 5):
        with pytest.raises(ValueError, match=r"^progress must be .* of \(points done, points to do\)"):
            certify_many(post, [[0., 0.]], .1, progress=progress)
    certify_many(post, [[0., 0.]]*3, .01, progress=lambda done, whole: told.append((done, whole)))
    assert told == [(3, 3)]
