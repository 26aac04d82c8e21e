"""Tests of nbs/ood/01_sample.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.ood.sample import line_score, read_pair, read_sample, score_on_line, spread, sweep, weights_at

R = np.array([0., 1, 2, 3, 0, 4])
G = np.array([2., 1, 0, 3, 4, 0])
OOD = np.array([False, False, False, False, True, True])
LOSSES = np.array([0., 1, 0, 0, 0, 0])
INF = float("inf")
NAN = float("nan")

def test_sweep_counts_by_definition():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.integers(1, 12))
        s, ood, losses = rng.integers(0, 4, n)*1., rng.random(n) < .4, rng.random(n)
        t = sweep(s, ood, losses)
        assert (t.threshold == np.unique(s)).all() and (t.total_id, t.total_ood) == ((~ood).sum(), ood.sum())
        for k, cut in enumerate(t.threshold):
            on = s <= cut
            assert (t.n_id[k], t.n_ood[k]) == ((on & ~ood).sum(),
                                               (on & ood).sum()) and abs(t.loss[k] - losses[on].sum()) < 1e-12
    assert not len(sweep(s, ood).loss)


@pytest.mark.parametrize("angle, units, centres, expected", [
    (0, (1, 1), (0, 0), R), (np.pi/2, (1, 1), (0, 0), G), (0, (2, 1), (0, 0), R/2),
    (np.pi/2, (1, 4), (0, 0), G/4),
    (np.pi/4, (1, 1), (0, 0), (R + G)/np.sqrt(2)),
    (np.pi/4, (2, 5), (1, -3), ((R - 1)/2 + (G + 3)/5)/np.sqrt(2)),
    (np.pi, (1, 1), (0, 0), -R), (0, (1, 1), (3, 9), R - 3)])
def test_score_on_line(angle, units, centres, expected):
    assert np.allclose(line_score(R, G, angle, units, centres), expected, rtol=1e-15, atol=1e-15)
    if (units, centres) == ((1, 1), (0, 0)):
        assert (score_on_line(R, G, angle) == line_score(R, G, angle)).all()


def test_weight_zero_wins_over_infinity():
    r, g = np.array([INF, 1, INF]), np.array([1, INF, INF])
    assert score_on_line(r, g, 0).tolist() == [INF, 1, INF]
    assert score_on_line(r, g, np.pi/2).tolist() == [1, INF, INF]
    assert (score_on_line(r, g, .5) == INF).all() and weights_at(np.pi/2) == (0.,
                                                                              1.) and weights_at(0) == (1.,
                                                                                                        0.)


@pytest.mark.parametrize("s, expected", [
    ([0., 1, 2, 3, 4], 2.), ([0., 0, 0, 0, 5], 2.), ([7., 7], 1.), ([INF, INF], 1.),
    ([0., 1, 2, 3, 4, INF, -INF], 2.)])
def test_spread(s, expected):
    assert abs(spread(s) - expected) < 1e-12


def test_spread_of_many_is_that_of_a_sample():
    s = np.arange(200_001.)
    assert abs(spread(s)/100_000 - 1) < 1e-3

BAD = [
    (dict(scores=[0, NAN, 1]), "scores"), (dict(scores=np.zeros((3, 3))), "scores"),
    (dict(scores=np.zeros((2, 2, 2))), "scores"),
    (dict(scores=[]), "scores"), (dict(scores=None), "scores"), (dict(scores=["1", "2", "3"]), "scores"),
    (dict(scores=np.ma.masked_less([1., 2, 3], 2)), "scores"), (dict(scores=[1, 2, 3j]), "scores"),
    (dict(scores=[[0, 1], [-INF, 0], [1, 1]]), "-inf"),
    (dict(is_ood=[True]*3), "is_ood must be False somewhere"),
    (dict(is_ood=[False]*3), "is_ood must be True somewhere"), (dict(is_ood=[0, 1, 2]), "is_ood"),
    (dict(is_ood=[0, 1]), "is_ood"),
    (dict(losses=[0, NAN, 0]), "losses"), (dict(losses=[0, -1, 0]), "losses"),
    (dict(losses=[0, INF, 0]), "losses"),
    (dict(losses=[0, 0]), "losses"), (dict(losses=["0"]*3), "losses"), (dict(losses=.5), "losses"),
    (dict(losses=[0, 1.5, 0], high=1.), "losses"), (dict(losses=np.ma.masked_less([0., 1, 1], .5)), "losses")]

@pytest.mark.parametrize("change, named", BAD)
def test_bad_samples_are_named(change, named):
    good = dict(scores=[1., 2, 3], is_ood=[True, False, False], losses=[0., 1, 0])
    with pytest.raises(ValueError, match=named): read_sample(**{**good, **change})


def test_what_is_allowed():
    s = read_sample([1, INF, -INF], [True, False, False], [NAN, 0, 1])  # the loss of an OOD input is not read
    assert s.losses.tolist() == [0, 0, 1] and not s.is_double and (s.n_id, s.n_ood) == (2, 1)
    assert read_sample([1, 2], [0, 0], need_ood=False).n_ood == 0 and read_sample([[1, 2], [3, INF]],
                                                                                  [0, 1]).is_double
    assert read_pair(LOSSES, R, G, OOD).s_g.tolist() == G.tolist()


@pytest.mark.parametrize("change, named", [
    (dict(s_r=None), "s_r"), (dict(s_g=G[:3]), "s_g"), (dict(s_g=["a"]*6), "s_g"),
    (dict(s_r=np.full(6, -INF)), "s_r"),
    (dict(s_g=np.full(6, -INF)), "s_g"), (dict(losses=None), "losses"), (dict(is_ood=[True]*6), "is_ood")])
def test_bad_pairs_are_named(change, named):
    with pytest.raises(ValueError, match=named):
        read_pair(**{**dict(losses=LOSSES, s_r=R, s_g=G, is_ood=OOD), **change})
