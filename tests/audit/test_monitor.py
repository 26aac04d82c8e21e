"""Tests of nbs/audit/07_monitor.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.audit.rule import certify_sample
from reject_nb.audit.sample import SCORE
from reject_nb.audit.sample import Sample
from reject_nb.audit.sample import sample_of_table
from reject_nb.audit.table import TableError
from reject_nb.core.tails import binomial_p_value
from reject_nb.strategies.monitor import monitor_stakes

from reject_nb.audit.monitor import RiskMonitor, outcomes

def _streams(target, late, repetitions, dependent=False, n=2000, delta=.1, horizon=2000, seed=0):
    "When each of many streams alarms, n where it never does; and whether monthly tests would."
    rng, stakes = np.random.default_rng(seed), monitor_stakes(target)[None]
    won, lost = np.log1p(stakes*(1 - target)), np.log1p(-stakes*target)
    capital, again = np.zeros((repetitions, stakes.size)), np.full((repetitions, stakes.size), -np.inf)
    at, total, monthly = np.full(repetitions, n), np.zeros(repetitions), np.zeros(repetitions, bool)
    for i in range(n):
        rate = late if i >= 500 else target
        if dependent: rate = np.where(total % 2 == 0, rate,
                                      rate*.5)     # after every other error the risk is half: still kept
        wrong = rng.random(repetitions) < rate
        step = np.where(wrong[:, None], won, lost)
        total += wrong
        capital += step
        again = np.logaddexp(0., again) + step
        alarm = (np.exp(capital).mean(1) >= 2/delta) | (np.exp(np.minimum(again,
            700)).mean(1) >= 2*horizon/delta)
        at = np.where(alarm & (at == n), i + 1, at)
        if i % 100 == 99: monthly |= binomial_p_value(i + 1 - total, np.full(repetitions, i + 1.),
                                                      1 - target) <= delta
    return at, monthly


def _rule(target=.05, bound=1.):
    return certify_sample(Sample(losses=bound*np.repeat([0., 1.], [900, 100]), scores={"s": np.arange(1000.)},
                                 bound=bound), target*bound, looked=False)


@pytest.mark.parametrize("dependent", [False, True])
def test_false_alarms_are_rare(dependent):
    "More than 48 of 300 at level .1 has probability .0006."
    at, _ = _streams(.05, .05, 300, dependent, seed=1)
    assert (at < 2000).sum() <= 48


def test_the_fast_streams_are_the_monitor():
    at, _ = _streams(.05, .2, 5, seed=3)
    rng, outcomes_ = np.random.default_rng(3), []
    for i in range(2000): outcomes_.append(rng.random(5) < (.2 if i >= 500 else .05))
    for k, losses in enumerate(np.array(outcomes_, float).T):
        found = RiskMonitor(_rule(), delta=.1, horizon=2000).update(losses)
        assert found.first_alarm.at == at[k]


def test_a_worse_risk_is_noticed():
    at, _ = _streams(.05, .15, 100, seed=2)
    assert (at < 2000).mean() > .95


def test_updates_may_come_in_pieces():
    losses = (np.random.default_rng(0).random(900) < .08).astype(float)
    one, many = RiskMonitor(_rule()).update(losses), RiskMonitor(_rule())
    for part in np.array_split(losses, 7): many.update(part)
    np.testing.assert_allclose((one.capital, one.restarts, one.risk),
                               (many.capital, many.restarts, many.risk), rtol=1e-12)
    assert one.n == many.n == 900 and one.history[-1][0] == 900


@pytest.mark.parametrize("k, points", [(7, 7), (200, 200), (900, 225), (20_000, 201)])
def test_the_picture_shows_what_single_outcomes_show(k, points):
    "Every PIECES-th part of an update has a point, and each block's end; values as if fed one by one."
    losses = (np.random.default_rng(1).random(k) < .05).astype(float)
    monitor, single = RiskMonitor(_rule()).update(losses), RiskMonitor(_rule())
    assert len(monitor.history) == points + 1 and monitor.history[0] == (0, 1., 0.)
    assert monitor.history[-1] == (k, monitor.capital, monitor.restarts)
    if k > 900: return
    seen = {0: (1., 0.)}
    for i, loss in enumerate(losses):
        single.update([loss])
        seen[i + 1] = single.capital, single.restarts
    for n, *shown in monitor.history: np.testing.assert_allclose(shown, seen[n], rtol=1e-9)


def test_a_refused_update_changes_nothing():
    monitor = RiskMonitor(_rule()).update([0, 1])
    for bad in ([0, 2], [np.nan], "x", [[0]]):
        with pytest.raises(ValueError, match="losses must"): monitor.update(bad)
    assert monitor.n == 2 and monitor.update([]).n == 2


def test_rules_that_cannot_be_watched_are_refused():
    for rule in (None, certify_sample(Sample(losses=np.ones(50), scores={"s": np.arange(50.)}), .05),
                 certify_sample(Sample(losses=np.ones(50), scores={"s": np.arange(50.)}), 1.)):
        with pytest.raises(ValueError, match="rule must"): RiskMonitor(rule)


def test_outcomes_of_tables():
    p = np.linspace(.51, 1, 400)
    cells = {"y": (np.arange(400) % 10 > 0).astype(int), "p": p}
    sample = sample_of_table(cells, label="y", probabilities="p")
    rule = certify_sample(sample, .2, looked=False)
    expected = sample.losses[sample.scores[SCORE] <= rule.threshold]
    assert np.array_equal(outcomes(rule, cells), expected)
    applied = rule.apply(cells)
    without = {"y": cells["y"], "accept": applied["accept"], "answer": np.ones(400, int)}
    assert np.array_equal(outcomes(rule, without, prediction="answer"), expected)
    assert RiskMonitor(rule).update_table(cells).n == len(expected)
    for bad, words_ in (({"p": p}, "column 'y'( .label.)? is missing"),
                        ({"y": cells["y"]}, "column \'p\' .probabilities. is missing"), ({"y": ["1", ""],
                            "p": [.5, .6]}, "column 'y', row 2"),
                        ({"y": [1], "accept": ["maybe"], "a": [1]}, "column 'accept'")):
        with pytest.raises(TableError, match=words_): outcomes(rule, bad)


@pytest.mark.parametrize("no, yes", [("False", "True"), ("false", "true"), ("0", "1"), (0, 1), (False, True)])
def test_foreign_inputs_may_be_flagged_in_words_and_have_no_label(no, yes):
    rule = _all_answered()
    cells = {"y": ["1", "2", "", "1"], "yhat": ["1", "1", "2", "1.0"], "s": [0., 0., 0., 0.],
             "foreign": [no, no, yes, no]}
    asked = dict(label="y", prediction="yhat", ood="foreign", scores="s")
    assert outcomes(rule, cells, **asked).tolist() == [0, 1, 1, 0]
    with pytest.raises(TableError, match="column 'y', row 3"):
        outcomes(rule, cells | {"foreign": [no]*4}, **asked)
    with pytest.raises(TableError, match="column 'foreign', row 4"):
        outcomes(rule, cells | {"foreign": [no, no, yes, "maybe"]}, **asked)


def _all_answered():
    "A rule about labels and a score that answers everything."
    return certify_sample(sample_of_table({"y": [0, 1]*100, "s": np.zeros(200)}, label="y", prediction="y",
                                          scores="s"), .1, looked=False)


def test_losses_have_units():
    a = RiskMonitor(_rule()).update([0, 1, 1])
    b = RiskMonitor(_rule(bound=4.)).update([0, 4, 4])
    np.testing.assert_allclose(a.capital, b.capital, rtol=1e-12)
    assert b.risk == 4*a.risk and b.target_risk == .2
