"""Tests of nbs/gpc/25_class_signs.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.class_signs import bounded_below
from reject_nb.gpc.softmax import MulticlassPosterior
from unittest.mock import patch

from reject_nb.gpc.class_signs import (
    asked_class, centre_at, lead_less_offset, lead_of_means, offset_share, settle_class, share_needed,
)

def _model(seed):
    "A random posterior of three or four classes in five to nine dimensions, and a point."
    rng = np.random.default_rng(seed)
    C, n, d = int(rng.integers(2, 5)), int(rng.integers(6, 20)), int(rng.integers(5, 10))
    prob = rng.dirichlet(np.ones(C), n).T
    X = rng.normal(size=(n, d))
    alpha = np.eye(C)[rng.integers(C, size=n)].T - prob
    scale, s2 = 10.**rng.uniform(0, .6, d), 10.**rng.uniform(0, 1.2)
    return rng, MulticlassPosterior(X, alpha, prob, scale, s2), X[0]


def _spread(cov, a, b): return cov[a, a] + cov[b, b] - 2*cov[a, b]


def _label(mean, cov):
    "The most probable class of latent values, by integration."
    from reject_nb.gpc.race import softmax_means
    value, error = softmax_means(mean, cov, target=1e-5)
    return value, error.max()


@pytest.mark.parametrize("seed", range(40))
def test_a_lead_above_the_offset_decides_the_label(seed):
    "The theorem on random Gaussians: means at and around the offset."
    rng = np.random.default_rng(seed)
    C = int(rng.integers(3, 5))
    root = rng.normal(size=(C, C))*10.**rng.uniform(-.5, .4)
    cov, mean = root @ root.T, rng.normal(size=C)
    offset = max([0.] + [.5*(_spread(cov, 1, l) - _spread(cov, 0, l)) for l in range(2, C)])
    mean[0] = mean[1] + offset + 1e-3 + abs(rng.normal())*(seed % 2)
    value, error = _label(mean, cov)
    assert value[0] > value[1] - 2*error


@pytest.mark.parametrize("seed", range(40))
def test_a_share_of_the_offset_decides_the_label_of_three_classes(seed):
    "Random Gaussians whose leads go together: means just above the share, third classes ahead and behind."
    rng = np.random.default_rng(1000 + seed)
    while True:
        root = rng.normal(size=(3, 3))*10.**rng.uniform(-.5, .7)
        cov, mean = root @ root.T, 2*rng.normal(size=3)
        V = {p: _spread(cov, *p) for p in ((0, 1), (0, 2), (1, 2))}
        if V[0, 2] < V[1, 2] < V[0, 1] + V[0, 2]: break
    offset = .5*(V[1, 2] - V[0, 2])
    third = float(rng.choice([0., .5, 2.]))
    share = offset_share(third, max(V[0, 2] - .25*V[0, 1], 0.))
    mean[0] = mean[1] + share*offset + 1e-3
    mean[2] = .5*(mean[0] + mean[1]) + third - (abs(rng.normal()) if seed % 2 else 0.)
    value, error = _label(mean, cov)
    assert value[0] > value[1] - 2*error and 0 < share <= 1 + 1e-9


def test_the_share_falls_with_the_third_mean_and_with_its_spread():
    assert offset_share(0., 0.) == pytest.approx(.5) and offset_share(40., 1e3) == pytest.approx(1.)
    assert offset_share(0., 16.) == pytest.approx(2*.39894/4, rel=1e-4)
    assert offset_share(1., 16.) == pytest.approx(.39894/4*(1 + np.e), rel=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_the_share_needed_holds_at_sampled_points(seed):
    rng, post, x = _model(500 + seed)
    prob = rng.dirichlet(np.ones(3), post.n).T
    post = MulticlassPosterior(post.X, np.eye(3)[rng.integers(3, size=post.n)].T - prob, prob,
                               post.lengthscale, post.variance)
    asked = asked_class(post, 0, x - .15, x + .15)
    share, count = share_needed(asked, 1, 2, x, Clock(None))
    assert count > 0 and 0 < share <= 1 + 1e-9
    for z in x + .15*rng.uniform(-1, 1, (40, post.d)):
        (m,), (cov,) = post.latent(z[None])
        V = {p: _spread(cov, *p) for p in ((0, 1), (0, 2), (1, 2))}
        if share < 1: assert V[0, 1] + V[0, 2] >= V[1, 2] - 1e-9
        here = offset_share(max(m[2] - .5*(m[0] + m[1]), 0.), V[0, 2] - .25*V[0, 1])
        assert share >= here - 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_functionals_bound_what_they_say(seed):
    "Below the difference of the means less the offset, exact at the point of touch."
    rng, post, x = _model(seed)
    if post.n_classes < 3: return
    asked, c = asked_class(post, 0, x - .3, x + .3), x + .3*rng.uniform(-1, 1, post.d)
    mean, less = lead_of_means(asked, 1), lead_less_offset(asked, 1, 2, c, centre_at(post, c))
    for z in [c, *(x + .3*rng.uniform(-1, 1, (30, post.d)))]:
        (m,), (cov,) = post.latent(z[None])
        delta = (z - mean.origin)/mean.scale
        true = m[0] - m[1] - .5*(_spread(cov, 1, 2) - _spread(cov, 0, 2))
        assert mean.value(delta) == pytest.approx(m[0] - m[1], abs=1e-9)
        assert less.value(delta) <= true + 1e-7*post.variance
        if z is c: assert less.value(delta) == pytest.approx(true, abs=1e-5*post.variance)


@pytest.mark.parametrize("seed", range(12))
def test_no_point_contradicts_a_proof(seed):
    rng, post, x = _model(50 + seed)
    top = int(post.predict_proba(x[None])[0].argmax())
    for radius in (.02, .2, .8):
        asked = asked_class(post, top, x - radius, x + radius)
        got = settle_class(asked, lambda z: None, Clock(5.))
        assert got.point is None
        Z = x + radius*np.where(rng.uniform(size=(40, post.d)) < .5, rng.choice([-1., 1.], (40, post.d)),
                                rng.uniform(-1, 1, (40, post.d)))
        if got.proved: assert (post.predict_proba(Z).argmax(1) == top).all()


def test_a_certified_attack_ends_the_search():
    rng, post, x = _model(1)
    asked = asked_class(post, 0, x - 2, x + 2)
    got = settle_class(asked, lambda z: z, Clock(None))
    assert got.point is not None and not got.proved
    assert settle_class(asked_class(post, 0, x, x), lambda z: z, Clock(None)) is None
    got = settle_class(asked, lambda z: None, Clock(None), max_boxes=0)
    assert not got.proved and str(got.status) in ("iteration_limit", "precision")


@pytest.mark.parametrize("seed", range(4))
def test_questions_of_thirty_coordinates_are_answered_by_it(seed):
    "is_safe and minimal_perturbation use it: attacks change the label, sampled points keep it."
    from reject_nb.gpc.kernel_posterior import KernelPosterior
    from reject_nb.gpc.kernels import Matern52
    from reject_nb.gpc.queries import is_safe, minimal_perturbation
    rng = np.random.default_rng(seed)
    X, prob = rng.normal(size=(30, 30)), np.full((3, 30), 1/3)
    several = MulticlassPosterior(X, 3*(np.eye(3)[np.arange(30) % 3].T - prob), prob, 6., 2.)
    two = KernelPosterior(Matern52(2., 6.), X, np.where(np.arange(30) % 2, 1., -1.), np.zeros((30, 30)))
    for post in (several, two):
        label, x = post.predict, X[0]
        got = is_safe(post, x, .02, max_boxes=60)
        assert str(got.status) == "safe" and got.n_boxes <= 60
        far = is_safe(post, x, 3., max_boxes=60)
        assert str(far.status) == "unsafe" and label(far.adversarial[None]) != label(x[None])
        ends = minimal_perturbation(post, x, max_boxes=20)
        assert 0 < ends.certified <= ends.attack < 3
        Z = x + ends.certified*rng.choice([-1., 1.], (50, 30))
        assert (label(Z) == label(x[None])).all()


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_point_that_the_search_finds_counts_once_it_is_certified(seed):
    "Neither a mean nor the first points tell; a point below the offset decides only where it is certified."
    _, post, x = _model(seed)
    top, radius = int(post.predict_proba(x[None])[0].argmax()), {0: .5, 1: .5, 7: .05}[seed]
    asked, calls = asked_class(post, top, x - radius, x + radius), []
    def never(z): calls.append(z)
    def third(z):
        calls.append(z)
        return z if len(calls) == 3 else None
    for beaten, status in ((never, "precision"), (third, "optimal")):
        calls.clear()
        got = settle_class(asked, beaten, Clock(None))
        assert len(calls) == 3 and not got.proved and got.n_boxes >= 1 and str(got.status) == status
        assert (got.point is None) == (beaten is never)


def test_one_region_is_enough_where_one_is_allowed():
    for seed in (11, 14, 21):                # two classes: one functional
        _, post, x = _model(seed)
        top = int(post.predict_proba(x[None])[0].argmax())
        got = settle_class(asked_class(post, top, x - .02, x + .02), lambda z: None, Clock(None), 1)
        assert got.proved and got.n_boxes == 1 and str(got.status) == "optimal"


def test_coarser_arithmetic_lowers_the_functional():
    "By what its coefficients are rounded by, and by what its constant is."
    _, post, x = _model(9)
    asked, at, unit = asked_class(post, 0, x - .3, x + .3), centre_at(post, x), 1e-6
    fine = lead_less_offset(asked, 1, 2, x, at)
    with patch.dict(lead_less_offset.__globals__, {"rounding": lambda n: unit*n}):
        rough = lead_less_offset(asked, 1, 2, x, at)
    coefs = post.alpha[0], post.alpha[1], at.coef[1, 2], at.coef[0, 2]
    by_coef = 16*unit*post.variance*(sum(np.abs(v).sum() for v in coefs) + 1)
    by_constant = 16*unit*sum(8*post.variance + abs(at.form[p]) + at.var_high[p] for p in ((1, 2), (0, 2)))
    assert fine.constant - rough.constant == pytest.approx(by_coef + by_constant, rel=1e-6)


def test_the_residual_counts_with_a_margin():
    "A residual of 1e12 makes the margin of 1e-12 visible: 2 weight sqrt(2 s2)."
    rng = np.random.default_rng(0)
    X, prob = rng.normal(size=(6, 5)), rng.dirichlet(np.ones(3), 6).T
    post = MulticlassPosterior(X, rng.normal(size=(3, 6)), prob, 1.5, 2.)
    asked, at = asked_class(post, 0, X[0] - .1, X[0] + .1), centre_at(post, X[0])
    constants = [bounded_below(asked, post.alpha[0], 1., {(0, 1): .4}, X[0], at._replace(residual=r)).constant
                 for r in (0*at.residual, np.full_like(at.residual, 1e12))]
    assert constants[0] - constants[1] - .4*2*np.sqrt(2*2.)*1e12 == pytest.approx(1.6, abs=.01)


@pytest.mark.parametrize("top, rival", [(0, 1), (2, 0), (1, 2)])
def test_a_lead_is_rounded_by_the_weights_of_both_classes(top, rival):
    "With a coarse unit: minus gamma_16 of the prior variance times both classes' weights, summed."
    X = np.array([[0., 0.], [1., .5], [-.5, 1.]])
    alpha, even = np.array([[3., -1., .5], [.2, .1, -.3], [-40., 7., 2.]]), np.full((3, 3), 1/3)
    asked = asked_class(MulticlassPosterior(X, alpha, even, [1., 1.5], 2.), top, -np.ones(2), np.ones(2))
    with patch.dict(lead_of_means.__globals__, rounding=lambda n: 1e-4*n):
        got = lead_of_means(asked, rival)
    assert got.constant == pytest.approx(-16e-4*2*(np.abs(alpha[top]).sum() + np.abs(alpha[rival]).sum()))
    for z in ([0., 0.], [.4, -.2]):
        k = 2*np.exp(-.5*(((X - z)/[1., 1.5])**2).sum(1))
        assert got.value((np.array(z) - got.origin)/got.scale) - got.constant == pytest.approx(
            (alpha[top] - alpha[rival]) @ k)
