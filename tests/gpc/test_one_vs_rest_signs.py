"""Tests of nbs/gpc/26_one_vs_rest_signs.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.kernel_posterior import KernelPosterior
from reject_nb.gpc.kernel_posterior import OneVsRestPosterior
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import SquaredExponential

from reject_nb.gpc.one_vs_rest_signs import Several, lead_of, settle_one_vs_rest, touch, variance_share

def _averages(m, v):
    "E sigma(f) and E sigma'(f), E sigma''(f) for arrays of means and variances."
    z, w = np.polynomial.hermite_e.hermegauss(180)
    f = np.asarray(m)[..., None] + np.sqrt(v)[..., None]*z
    s = 1/(1 + np.exp(-f))
    d = s*(1 - s)
    return [(g*w).sum(-1)/w.sum() for g in (s, d, -d*np.tanh(f/2))]


def _model(seed, C=None, kernel=SquaredExponential):
    "A random posterior of one latent function a class, in three to eight dimensions, and a point."
    rng = np.random.default_rng(seed)
    C, n, d = C or int(rng.integers(2, 6)), int(rng.integers(6, 25)), int(rng.integers(5, 9))
    Z, own, latents = rng.normal(size=(n, d)), rng.integers(C, size=n), []
    for c in range(C):
        k = kernel(10.**rng.uniform(0, 1.5), 10.**rng.uniform(0, .6, d))
        A = np.linalg.inv(k.matrix(Z, Z) + np.diag(10.**rng.uniform(-.5, 1.5, n)))
        y = np.where(own == c, 1., -1.)
        latents.append(KernelPosterior(k, Z, A @ (3*y), .5*(A + A.T), link="logistic"))
    return rng, OneVsRestPosterior(tuple(latents), range(C)), Z[0]


def _sample(rng, x, radius, m=60):
    corners = rng.uniform(size=(m, len(x))) < .5
    return x + radius*np.where(corners, rng.choice([-1., 1.], (m, len(x))), rng.uniform(-1, 1, (m, len(x))))


def _settled(post, top, x, radius, lost=lambda z: False, **options):
    asked = Several(post.latents, x - radius, x + radius, options.pop("ball", None))
    return settle_one_vs_rest(asked, top, lost, Clock(20.), **options)


def test_the_theorem_on_random_pairs():
    "The larger mean and the larger m/sqrt(2 + v): the larger probability; and so with the linear offsets."
    rng = np.random.default_rng(0)
    m, v = 3*rng.normal(size=(2, 5_000)), 10.**rng.uniform(-1, 1, (2, 5_000))
    m[0] = np.where(rng.uniform(size=5_000) < .5, m[0], m[1] + .1*rng.exponential(size=5_000))
    L = _averages(m, v)[0]
    u = m/np.sqrt(2 + v)
    said = (m[0] > m[1]) & (u[0] > u[1])
    assert said.sum() > 1_000 and (L[0] > L[1] - 1e-9)[said].all()
    up = np.array([variance_share(a, b) for a, b in zip(np.maximum(m[1], 0), v[1])])
    down = np.array([variance_share(a, b) for a, b in zip(np.maximum(-m[0], 0), v[0])])
    lead = m[0] - m[1]
    said = (lead > 0) & (lead > .5*up*(v[0] - v[1])) & (lead > .5*down*(v[1] - v[0]))
    assert said.sum() > 1_000 and (L[0] > L[1] - 1e-9)[said].all()
    assert not (L[0] > L[1])[(lead > 0) & ~said].all()          # no wider than it has to be


def test_rho_is_bounded_by_its_share():
    m, v = np.meshgrid(np.linspace(0, 8, 33), 10.**np.linspace(-2, 1, 13))
    _, one, two = _averages(m, v)
    rho = -two/one
    share = np.array([[variance_share(a, b) for a, b in zip(*rows)] for rows in zip(m, v)])
    assert (rho >= -1e-12).all() and (rho <= share + 1e-9).all()
    assert (rho >= .7*share - 1e-9)[share < .2].all()
    assert variance_share(1., 2.) == pytest.approx(.25, abs=1e-11) and variance_share(np.inf, 0.) == 1


@pytest.mark.parametrize("kernel", [SquaredExponential, Matern52])
@pytest.mark.parametrize("seed", range(6))
def test_functionals_bound_what_they_say(seed, kernel):
    rng, post, x = _model(seed, 3, kernel)
    asked, c = Several(post.latents, x - .4, x + .4, None), x + .4*rng.uniform(-1, 1, post.d)
    ats = [touch(p, c) for p in post.latents]
    for share, wide in ((.3, 0), (1., 1)):
        less, var = lead_of(asked, 0, 1, share, wide, c, ats), asked.variance_of(1, c, ats[1])
        for z in [c, *_sample(rng, x, .4, 30)]:
            (m0, v0), (m1, v1) = (np.ravel(p.latent(z[None])) for p in post.latents[:2])
            at = (z - less.origin)/less.scale
            true = m0 - m1 - .5*share*((v0 - v1) if wide == 0 else (v1 - v0))
            assert less.value(at) <= true + 1e-9*(1 + abs(true))
            assert var.value((z - var.origin)/var.scale) <= v1 + 1e-9
            if z is c:
                assert less.value(at) == pytest.approx(true, abs=1e-8)
                assert var.value((z - var.origin)/var.scale) == pytest.approx(v1, abs=1e-8)
    for c_, sign in ((0, 1.), (2, -1.)):
        mean = asked.mean_of(c_, sign)
        assert mean.value(np.zeros(post.d)) == pytest.approx(sign*post.latents[c_].latent(x[None])[0][0])


@pytest.mark.parametrize("p", [None, 2, 1])
@pytest.mark.parametrize("seed", range(5))
def test_no_point_contradicts_a_proof(seed, p):
    rng, post, x = _model(100 + seed)
    top = int(post.predict_proba(x[None])[0].argmax())
    for radius in (.03, .2, .8):
        got = _settled(post, top, x, radius, ball=None if p is None else (p, radius, x))
        Z = _sample(rng, x, radius)
        if p is not None: Z = x + (Z - x)*np.minimum(1, radius/np.linalg.norm(Z - x, p, axis=1))[:, None]
        assert got.point is None
        if got.proved: assert (post.predict_proba(Z).argmax(1) == top).all() and got.low == 0


def test_small_sets_are_proved_and_large_ones_refuted():
    proved = refuted = 0
    for seed in range(8):
        _, post, x = _model(200 + seed, 4)
        top = int(post.predict_proba(x[None])[0].argmax())
        lost = lambda z: post._margin_at(z, top, True) < 0
        proved += _settled(post, top, x, .01, lost).proved
        got = _settled(post, top, x, 3., lost)
        refuted += got.point is not None and int(post.predict_proba(got.point[None])[0].argmax()) != top
    assert proved >= 7 and refuted >= 7


@pytest.mark.parametrize("seed", range(3))
def test_ball_arithmetic_agrees(seed):
    "At 200 bits, from the arrays as they are: each functional lies below what it stands for."
    flint = pytest.importorskip("flint")
    rng, post, x = _model(300 + seed, 2)
    flint.ctx.prec = 200
    exact = lambda v: flint.arb(float(v).as_integer_ratio()[0])/flint.arb(float(v).as_integer_ratio()[1])
    def latent(p, z):
        r = []
        for point in p.Z:
            square = sum((((exact(a) - exact(b))/exact(s))**2 for a, b, s in zip(z, point, p.lengthscale)),
                         flint.arb(0))
            r.append(exact(p.kernel.variance)*(-square/2).exp())
        mean = sum((exact(w)*v for w, v in zip(p.weights, r)), flint.arb(0))
        form = sum((exact(p.matrix[i, j])*r[i]*r[j] for i in range(len(r)) for j in range(len(r))),
                   flint.arb(0))
        return mean, exact(p.kernel.variance) - form
    c = x + .1*rng.normal(size=post.d)
    ats, asked = [touch(p, c) for p in post.latents], Several(post.latents, x - .4, x + .4, None)
    for share, wide in ((0., 0), (.4, 0), (1., 1)):
        less = lead_of(asked, 0, 1, share, wide, c, ats)
        for z in [c, *_sample(rng, x, .4, 3)]:
            (m0, v0), (m1, v1) = (latent(p, z) for p in post.latents)
            true = m0 - m1 - exact(.5*share)*((v0 - v1) if wide == 0 else (v1 - v0))
            low = less.value((z - less.origin)/less.scale)
            assert (true - exact(low)).lower() > -1e-11


def test_other_links_and_linear_kernels_are_left_to_boxes():
    from reject_nb.gpc.kernels import Linear
    _, post, x = _model(0, 2)
    odd = KernelPosterior(Linear(1.), post.latents[0].Z[:2], np.ones(2), np.eye(2)*1e-3, link="logistic")
    probit = KernelPosterior(SquaredExponential(1., 1.), post.latents[0].Z[:2], np.ones(2), np.eye(2)/4)
    for other in (odd, probit):
        asked = Several((post.latents[0], other), x - .1, x + .1, None)
        assert settle_one_vs_rest(asked, 0, lambda z: False, Clock(None)) is None


def test_limits_are_kept_and_given_points_are_tried():
    _, post, x = _model(7, 4)
    top = int(post.predict_proba(x[None])[0].argmax())
    assert _settled(post, top, x, .3, max_boxes=1).n_boxes <= 3
    seen = []
    got = _settled(post, top, x, .3, lambda z: seen.append(z) or True, starts=x[None] + 1)
    assert len(seen) == 1 and got.point is not None and not got.proved
    np.testing.assert_allclose(seen[0], x + .3)
