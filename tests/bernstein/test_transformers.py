"""Tests of nbs/bernstein/14_transformers.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.classifier import RobustSVC
from reject_nb.bernstein.transformers import UncertainRows
from reject_nb.bernstein.transformers import UncertainScaler
from reject_nb.bernstein.uncertain_data import UncertainData

def _known(n=12, d=3, seed=0, **more):
    "Points about which everything is known."
    rng = np.random.default_rng(seed)
    g = rng.normal(size=(n, 5, d)) + 3
    lower, upper, mean = g.min(axis=1), g.max(axis=1), g.mean(axis=1)
    return UncertainData(lower, upper, mean=mean, mean_lower=np.maximum(mean - .1, lower),
                         mean_upper=np.minimum(mean + .1, upper), second_moment=(g**2).mean(axis=1) + .01,
                         covariance=g.var(axis=1), nominal=g[:, 0], **more)


def test_scaling_is_the_change_of_units_of_every_piece():
    U, shift, scale = _known(), np.array([1., -2., 3.]), np.array([2., .5, 7.])
    V = U.scaled(shift, scale)
    for name in ("lower", "upper", "mean", "mean_lower", "mean_upper", "nominal"):
        np.testing.assert_allclose(getattr(V, name), (getattr(U, name) - shift)/scale, rtol=1e-12)
    np.testing.assert_allclose(V.covariance, U.covariance/scale**2)
    assert V.second_moment is None
    # what the box's units see stays the same, whichever moments were given
    np.testing.assert_allclose(V.nu(), U.nu(), atol=1e-6)
    assert (V.nu(False) <= U.nu(False) + 1e-6).all()     # the exact mean says more about the square
    moment = U.covariance + (U.mean - U.centre)**2 + .01
    central = UncertainData(U.lower, U.upper, mean=U.mean, central_moment=moment)
    np.testing.assert_allclose(central.scaled(shift, scale).nu(), central.nu(), rtol=1e-7)
    full = UncertainData([[0., 0.]], [[2., 2.]], covariance=[[[.5, .2], [.2, .4]]]).scaled(0., [2., .5])
    np.testing.assert_allclose(full.covariance, [[[.125, .2], [.2, 1.6]]])
    bare = UncertainData([[1.]], [[3.]], second_moment=[[5.]]).scaled(1., 2.)
    assert 0 <= bare.central_moment[0, 0] <= bare.half_width[0, 0]**2


@pytest.mark.parametrize("scale", [0., -1., [1., 0., 2.], [2., 3., -1e-300]])
def test_a_scale_that_is_not_above_zero_is_named(scale):
    with pytest.raises(ValueError, match="^scale must be above 0"): _known().scaled(0., scale)
    _known().scaled([-1., 0., -2.], 1e-9)     # a shift may have any sign


def test_scaler_learns_the_whole_variance():
    U = _known()
    scaler = UncertainScaler().fit(U)
    np.testing.assert_allclose(scaler.shift_, ((U.mean_lower + U.mean_upper)/2).mean(axis=0))
    np.testing.assert_allclose(scaler.scale_**2, ((U.mean_lower + U.mean_upper)/2).var(axis=0)
                               + U.covariance.mean(axis=0))
    assert not UncertainScaler(with_mean=False).fit(U).shift_.any()
    assert (UncertainScaler(with_std=False).fit(U).scale_ == 1).all()
    assert UncertainScaler().fit([[1.], [1.]]).scale_ == 1
    full = UncertainData([[0., 0.], [0., 0.]], [[2., 2.], [2., 2.]], covariance=[[[.5, .2], [.2, .4]]]*2)
    np.testing.assert_allclose(UncertainScaler().fit(full).scale_**2, [.5, .4])
    with pytest.raises(ValueError, match="^X must be of 3 features"):
        scaler.transform(UncertainData([[1.]], [[2.]]))
    with pytest.raises(ValueError, match="^with_mean must"): UncertainScaler(with_mean=1).fit(U)


def test_rows_look_features_up():
    U = _known()
    lookup = UncertainRows(U)
    rows = lookup.rows()
    assert rows.tolist() == [[i]*3 for i in range(12)]
    mixed = rows.copy()
    mixed[:, 1] = mixed[::-1, 1]
    V = lookup.fit(rows).transform(mixed)
    for name in U._fields:
        piece = getattr(U, name)
        if piece is None: continue
        np.testing.assert_array_equal(getattr(V, name)[:, [0, 2]], piece[:, [0, 2]])
        np.testing.assert_array_equal(getattr(V, name)[:, 1], piece[::-1, 1])
    np.testing.assert_array_equal(lookup.transform([[2], [0]]).lower, U.lower[[2, 0]])
    full = UncertainRows(UncertainData([[0., 0.]]*2, [[2., 2.]]*2, covariance=[[[.5, .2], [.2, .4]]]*2))
    assert len(full.transform([[1, 1]])) == 1
    with pytest.raises(ValueError, match="^X must be one row number for all"): full.transform([[0, 1]])


@pytest.mark.parametrize("X, words", [([[0, 1]], "columns"), ([[12]], "0 to 11"), ([[-1]], "0 to 11"),
                                      ([[.5]], "0 to 11"), ([[np.nan]], "X must"), ("text", "X must")])
def test_bad_rows_are_named(X, words):
    with pytest.raises(ValueError, match="^X must") as caught: UncertainRows(_known()).transform(X)
    assert words in str(caught.value)
    with pytest.raises(ValueError, match="^data must"): UncertainRows([[1.]]).fit([[0]])


def test_concatenation():
    U = _known()
    V = UncertainData.concatenate([U[:5], U[5:]])
    for name in U._fields:
        if getattr(U, name) is not None: np.testing.assert_array_equal(getattr(V, name), getattr(U, name))
    for bad in ([], 3, [U, 1], [U, UncertainData(U.lower, U.upper)], [U, U.__class__([[1.]], [[2.]])]):
        with pytest.raises(ValueError, match="^parts must"): UncertainData.concatenate(bad)


def test_names_of_columns():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    U, y = UncertainData.from_box(table, .1, "uniform"), np.arange(20) % 2
    assert U.feature_names == ["a", "b"] and U[:3].feature_names == ["a", "b"]
    assert U.scaled(1., 2.).feature_names == ["a", "b"]
    assert UncertainData(table, table + 1).feature_names == ["a", "b"]
    clf = RobustSVC().fit(U, y)
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    assert UncertainRows(U).rows().columns.tolist() == ["a", "b"]
    bare = UncertainData.from_box(table.to_numpy(), .1, "uniform")
    assert clf.predict(U).tolist() == clf.predict(bare).tolist()
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(UncertainData.from_box(table[["b", "a"]], .1, "uniform"))
    assert not hasattr(RobustSVC().fit(bare, y), "feature_names_in_")


def test_tools_of_scikit_learn():
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    rng = np.random.default_rng(1)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 2))*.4 + np.array([[0., 0.], [3., 0.], [0., 3.]])[y]
    U = UncertainData.from_box(X, .2, "uniform")
    rows = UncertainRows(U).rows()
    pipe = make_pipeline(UncertainRows(U), UncertainScaler(), RobustSVC())
    for wrapper in (OneVsOneClassifier, OneVsRestClassifier):
        assert wrapper(pipe).fit(rows, y).score(rows, y) > .9
    assert OneVsRestClassifier(make_pipeline(UncertainScaler(), RobustSVC())).fit(U, y).score(U, y) > .9
    assert cross_val_score(OneVsOneClassifier(pipe), rows, y, cv=3).min() > .8
    two = y < 2
    search = GridSearchCV(pipe, {"robustsvc__C": [.1, 1.]}, cv=3).fit(rows[two], y[two])
    found = permutation_importance(search, rows[two], y[two], n_repeats=5, random_state=0).importances_mean
    assert found[0] > .2 and abs(found[1]) < .1
