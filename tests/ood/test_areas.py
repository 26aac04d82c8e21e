"""Tests of nbs/ood/11_areas.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.metrics import angles_of
from reject_nb.ood.sample import line_score
from reject_nb.ood.sample import read_sample
from reject_nb.ood.sample import spread
from sklearn.metrics import average_precision_score
from sklearn.metrics import roc_auc_score

from reject_nb.ood.areas import aupr, auroc, best_area, dominated, oscr, weight_below

def _oscr_by_definition(losses, scores, is_ood, convention):
    "The curve by its definition, one threshold after the other."
    fpr, ccr = [0.], [None]
    for t in np.unique(scores):
        on = (scores <= t) & ~is_ood
        fpr.append((scores[is_ood] <= t).mean())
        correct = (1 - losses[on]).sum()
        ccr.append(correct/(~is_ood).sum() if convention == "joint" else correct/on.sum() if on.any()
                   else None)
    first = next(c for c in ccr if c is not None)
    ccr = [(0. if convention == "joint" and k == 0 else first) if c is None else c for k, c in enumerate(ccr)]
    return sum((ccr[k] + ccr[k - 1])/2*(fpr[k] - fpr[k - 1]) for k in range(1, len(fpr)))


@pytest.mark.parametrize("ties", [False, True])
def test_against_definitions_and_scikit_learn(ties):
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = int(rng.integers(4, 60))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        s = rng.normal(size=n) + is_ood
        if ties: s = np.round(s, int(rng.integers(0, 2)))
        losses = (rng.random(n) < .3).astype(float) if rng.random() < .5 else rng.random(n)
        pairs = (s[is_ood][:, None] > s[~is_ood]) + .5*(s[is_ood][:, None] == s[~is_ood])
        assert abs(auroc(s, is_ood) - pairs.mean()) < 1e-12
        assert abs(auroc(s, is_ood) - roc_auc_score(is_ood, s)) < 1e-12
        assert abs(aupr(s, is_ood) - average_precision_score(~is_ood, -s)) < 1e-12
        assert abs(aupr(s, is_ood, positive="ood") - average_precision_score(is_ood, s)) < 1e-12
        weight = np.where(is_ood, .1/is_ood.mean(), .9/(1 - is_ood.mean()))
        assert abs(aupr(s, is_ood, prior=.1)
                   - average_precision_score(~is_ood, -s, sample_weight=weight)) < 1e-12
        for convention in ("conditional", "joint"):
            assert abs(oscr(losses, s, is_ood, convention)
                       - _oscr_by_definition(losses, s, is_ood, convention)) < 1e-12


def test_order_and_monotone_maps_do_not_matter():
    rng = np.random.default_rng(3)
    n = 300
    is_ood, s, losses = rng.random(n) < .3, np.round(rng.normal(size=n),
                                                     1), (rng.random(n) < .2).astype(float)
    p = rng.permutation(n)
    for f in (auroc, aupr): assert abs(f(s, is_ood) - f(np.exp(s[p]), is_ood[p])) < 1e-12
    assert abs(oscr(losses, s, is_ood) - oscr(losses[p], s[p], is_ood[p])) < 1e-12


def test_constant_and_infinite_scores():
    is_ood = np.array([0, 0, 1, 1, 0])
    assert auroc(np.ones(5), is_ood) == .5 and abs(aupr(np.ones(5), is_ood) - .6) < 1e-15
    assert auroc([0, 1, np.inf, np.inf, 2], is_ood) == 1
    assert auroc([np.inf, 0, np.inf, np.inf, 2], is_ood) == (2*2 + 2*.5)/6
    assert auroc([-np.inf, 1], [0, 1]) == 1


@pytest.mark.parametrize("f", [auroc, aupr])
def test_double_scores(f):
    rng = np.random.default_rng(4)
    n = 400
    is_ood = rng.random(n) < .3
    S = np.column_stack([rng.normal(size=n) + .5*is_ood, rng.normal(size=n) + is_ood])
    singles = [f(S[:, 0], is_ood), f(S[:, 1], is_ood)]
    whole, best = f(S, is_ood), f(S, is_ood, double="best angle")
    assert whole >= best - 1e-12 and best >= max(singles) - 1e-12
    assert abs(f(np.column_stack([S[:, 0]]*2), is_ood, double="best angle") - singles[0]) < 1e-12
    assert abs(f(S*[1e-6, 1e6], is_ood, double="best angle") - best) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_no_angle_has_a_larger_area_than_the_envelope(seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(4, 40))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        S, losses = np.round(rng.normal(size=(n, 2)) + is_ood[:, None],
                             int(rng.integers(0, 2))), rng.random(n)
        areas = [("auroc", auroc(S, is_ood, n_angles=5), auroc(S, is_ood, "best angle", 5))]
        for c in ("conditional", "joint"):
            areas.append((c, oscr(losses, S, is_ood, c, n_angles=5),
                          oscr(losses, S, is_ood, c, "best angle", 5)))
            assert areas[-1][2] >= max(oscr(losses, S[:, k], is_ood, c) for k in (0, 1)) - 1e-12
        for positive in ("id", "ood"):
            for how in ("step", "trapezoid"):
                both = (aupr(S, is_ood, positive=positive, interpolation=how, double=d, n_angles=5)
                        for d in ("envelope", "best angle"))
                areas.append((positive + how, *both))
        for name, whole, one in areas: assert one - 1e-12 <= whole <= 1 + 1e-12, name


@pytest.mark.parametrize("convention", ["conditional", "joint"])
def test_equal_curves_have_their_own_curve_as_envelope(convention):
    is_ood, Z = np.arange(10) % 2 == 1, np.zeros((10, 2))
    expected = .5 if convention == "joint" else 1
    assert auroc(Z, is_ood) == .5 and abs(oscr(np.zeros(10), Z, is_ood, convention) - expected) < 1e-15
    rng = np.random.default_rng(7)
    is_ood, s, losses = rng.random(300) < .4, rng.integers(0, 5, 300)*.25, rng.random(300)
    two = np.column_stack([s, s])
    assert abs(auroc(two, is_ood) - auroc(s, is_ood)) < 1e-12
    assert abs(oscr(losses, two, is_ood, convention) - oscr(losses, s, is_ood, convention)) < 1e-12


def test_trapezoids_of_precision():
    "Recall 1/2 with precision 1, recall 1 with 2/3: the first is carried to recall 0."
    exact = np.trapezoid([1, 1, .5, 2/3], [0, .5, .5, 1])
    assert abs(aupr([0, 1, 2], [0, 1, 0], interpolation="trapezoid") - exact) < 1e-15


@pytest.mark.parametrize("positive", ["id", "ood"])
def test_infinite_double_scores(positive):
    rng = np.random.default_rng(8)
    is_ood = rng.random(200) < .4
    S = rng.normal(size=(200, 2)) + 2*is_ood[:, None]
    S[np.argsort(S[:, 0])[-20:]] = np.inf
    label, sign = (~is_ood, -1) if positive == "id" else (is_ood, 1)
    best = max(average_precision_score(label, sign*np.minimum(s, 1e6))
               for _, s in angles_of(read_sample(S, is_ood), 31))
    assert abs(aupr(S, is_ood, positive=positive, double="best angle", n_angles=31) - best) < 1e-12
    # the envelope of 31 similar curves
    assert best - 1e-12 <= aupr(S, is_ood, positive=positive, n_angles=31) < best + .02


@pytest.mark.parametrize("with_losses", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_best_area_is_certified(ties, with_losses):
    rng, closed = np.random.default_rng(5), 0
    for _ in range(6):
        n = int(rng.integers(8, 40))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        S = np.column_stack([rng.normal(size=n) + .5*is_ood, rng.normal(size=n) + is_ood])
        if ties: S = np.round(S)
        losses = (rng.random(n) < .3).astype(float) if with_losses else None
        area = (lambda s: auroc(s, is_ood)) if losses is None else (lambda s: oscr(losses, s, is_ood,
                                                                                   "joint"))
        d = (S[is_ood] - S[~is_ood][:, None]).reshape(-1, 2)  # every angle at which a pair ties, and between
        d = d[d[:, 0]*d[:, 1] < 0]
        cuts = np.unique(np.concatenate([[0, np.pi/2], np.arctan2(abs(d[:, 0]), abs(d[:, 1]))]))
        middle = (cuts[1:] + cuts[:-1])/2
        true = max(area(S[:, 0]), area(S[:, 1]),
                   *(area(np.round(np.cos(a)*S[:, 0] + np.sin(a)*S[:, 1], 11))
                     for a in np.append(cuts, middle)))
        best, angle, bound = best_area(S, is_ood, losses, 1e-2)
        assert best <= true + 1e-12 and true <= bound + 1e-12
        units = spread(S[:, 0]), spread(S[:, 1])
        assert abs(area(line_score(*S.T, angle, units)) - best) < 1e-12
        if not ties:
            # of rounded scores several pairs turn at one angle: the gap stays
            assert bound - best <= 1e-2 + 1e-12
        first = best_area(S, is_ood, losses, 0., max_arcs=3)    # stopped early it still holds
        assert first.area - 1e-12 <= true <= first.bound + 1e-12
        closed += bound < first.bound
    assert closed


@pytest.mark.parametrize("strict", [False, True])
def test_dominated_pairs_by_counting(strict):
    rng = np.random.default_rng(0)
    for _ in range(30):
        own, ood, weight = rng.integers(0, 4, (2, 9))*1., rng.integers(0, 4, (2, 6))*1., rng.random(9)
        below = (own[:, :, None] < ood[:, None]).all(0) if strict else (own[:, :, None] <= ood[:,
                                                                                               None]).all(0)
        assert abs(dominated(own, ood, weight, strict) - (below*weight[:, None]).sum()) < 1e-12
        i, o = np.argsort(own[0]), np.argsort(ood[0])
        place = np.unique(own[1], return_inverse=True)[1][i] + 1
        args = own[0][i], place, weight[i], ood[0][o], np.searchsorted(np.unique(own[1]), ood[1][o],
                                                                       side="left" if strict
                                                                       else "right"), strict
        assert abs(weight_below.py_func(*args) - weight_below(*args)) < 1e-12

BAD = [(auroc, dict(double="best"), "double"), (auroc, dict(n_angles=0), "n_angles"),
       (auroc, dict(scores=[[0, 1], [-np.inf, 0], [1, 1]]), "scores"),
       (aupr, dict(prior=1.), "prior"), (aupr, dict(prior="a"), "prior"),
       (aupr, dict(interpolation="linear"), "interpolation"), (aupr, dict(positive=1), "positive"),
       (oscr, dict(convention="mixed"), "convention"), (oscr, dict(losses=[0, 5., 5.]), "losses"),
       (oscr, dict(losses=None), "losses"), (oscr, dict(n_angles=2.5), "n_angles"),
       (best_area, dict(scores=[1., 2, 3]), "scores"), (best_area, dict(losses=[0, 2., 0]), "losses"),
       (best_area, dict(tol=-1), "tol"), (best_area, dict(max_arcs=1.), "max_arcs")]

@pytest.mark.parametrize("f, change, named", BAD)
def test_bad_input_is_named(f, change, named):
    good = dict(scores=np.zeros((3, 2)), is_ood=[True, False, False],
                **({"losses": [0, 1, 0]} if f is oscr else {}))
    with pytest.raises(ValueError, match=f"^{named} must be"): f(**{**good, **change})


def test_the_loss_of_an_ood_input_is_not_read():
    assert oscr([np.nan, 0, 1], [1, 2, 3], [True, False, False]) == oscr([0, 0, 1], [1, 2, 3],
                                                                         [True, False, False])
