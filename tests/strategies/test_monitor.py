"""Tests of nbs/strategies/18_monitor.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.monitor import WORSE
from reject_nb.strategies.monitor import monitor_stakes

from reject_nb.strategies.monitor import RiskMonitor

@pytest.mark.parametrize("losses", ["0/1", "beta", "dependent"])
def test_false_alarms_are_rare(losses):
    "200 streams of 2,000 at the target itself, delta .2: more than 59 alarms have probability below .001."
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(200):
        u = rng.random(2000)
        x = {"0/1": u < .1, "beta": rng.beta(1, 9, 2000),
             "dependent": u < np.where(np.arange(2000) % 50 < 25, .02, .1)}[losses]
        alarms += RiskMonitor(.1, delta=.2, horizon=2000).update(x).alarm
    assert alarms <= 59


def test_both_processes_are_fair_games():
    "Means over all outcomes of eight losses at the target: capital 1, restarts 8."
    target, n = .3, 8
    outcomes = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    weights = np.where(outcomes == 1, target, 1 - target).prod(1)
    ends = [RiskMonitor(target, delta=1e-9).update(o) for o in outcomes]
    assert abs(weights @ [m.capital for m in ends] - 1) < 1e-10 and abs(weights @ [m.restarts
                                                                                   for m in ends] - n) < 1e-9


def test_a_doubled_risk_is_seen():
    rng = np.random.default_rng(6)
    early, late = [], []
    for _ in range(20):
        early.append(RiskMonitor(.1).update(rng.random(4000) < .2).first_alarm.at)
        monitor = RiskMonitor(.1).update(rng.random(10_000) < .1)
        if not monitor.alarm: late.append(monitor.update(rng.random(4000) < .2).first_alarm)
    assert np.median(early) < 250 and np.median([a.at - 10_000 for a in late]) < 600
    assert {a.reason for a in late} >= {"recently"}


@pytest.mark.parametrize("change, name", [(dict(target_risk=0), "target_risk"),
                                          (dict(target_risk=1), "target_risk"), (dict(delta=1), "delta"),
                                          (dict(horizon=0), "horizon"), (dict(bound=-1), "bound")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        RiskMonitor(**{**dict(target_risk=.1), **change})
    for bad in ([2.], [np.nan], ["a"], None, [[1, 0]]):
        with pytest.raises(ValueError, match="^losses must be"): RiskMonitor(.1).update(bad)


def test_pieces_and_bounds_do_not_matter():
    x = np.random.default_rng(7).random(300)
    whole, parts, scaled = RiskMonitor(.4), RiskMonitor(.4), RiskMonitor(4., bound=10.)
    whole.update(x)
    for part in np.array_split(x, 7): parts.update(part)
    scaled.update(10*x)
    assert abs(whole.capital/parts.capital - 1) < 1e-9 and abs(whole.restarts/scaled.restarts - 1) < 1e-9
    assert whole.n == parts.n == 300
    assert abs(whole.risk - x.mean()) < 1e-12 and abs(scaled.risk - 10*x.mean()) < 1e-11


@pytest.mark.parametrize("kind", ["0/1", "between", "bad", "good"])
def test_blocks_do_what_single_outcomes_do(kind):
    "Against the two recursions, outcome by outcome, across the border of blocks."
    rng = np.random.default_rng(8)
    x = {"0/1": rng.random(9000) < .1, "between": rng.beta(1, 9, 9000), "bad": rng.random(9000) < .4,
         "good": np.zeros(9000)}[kind].astype(float)
    monitor, stakes = RiskMonitor(.1), monitor_stakes(.1)
    capital, restarts, first = np.zeros(10), np.full(10, -np.inf), None
    for i, loss in enumerate(x):
        won = np.log1p(stakes*(loss - .1))
        capital, restarts = capital + won, np.logaddexp(0, restarts) + won
        if first is not None: continue
        if np.exp(np.minimum(capital, 700)).mean() >= 2/.05: first = i + 1, "since the start"
        elif np.exp(np.minimum(restarts, 700)).mean() >= 2*100_000/.05: first = i + 1, "recently"
    monitor.update(x)
    np.testing.assert_allclose(monitor._log_capital, capital, atol=1e-7)
    np.testing.assert_allclose(monitor._log_restarts, restarts, atol=1e-7)
    found = monitor.first_alarm and (monitor.first_alarm.at, monitor.first_alarm.reason)
    assert found == first and (first is None) == (kind != "bad")


def test_an_alarm_stays_and_says_when():
    monitor = RiskMonitor(.1).update(np.ones(50))
    at = monitor.first_alarm.at
    assert monitor.update(np.zeros(20_000)).first_alarm.at == at < 50
    assert f"alarm after {at}" in monitor.statement
    assert monitor.n == 20_050 and np.isnan(RiskMonitor(.1).update([]).risk)


@pytest.mark.parametrize("target", [.01, .1, .4, .9])
def test_a_stake_grows_fastest_at_the_risk_that_it_is_tuned_to(target):
    "Among all stakes, the expected logarithm of 1 + stake (loss - target) is largest at that of the risk."
    stakes = monitor_stakes(target)
    risks = np.minimum(WORSE*target, .5*(1 + target))
    assert (stakes > 0).all() and (stakes < 1/target).all() and len(stakes) == len(WORSE)
    def growth(stake): return risks*np.log1p(stake*(1 - target)) + (1 - risks)*np.log1p(-stake*target)
    for change in (.98, 1.02): assert (growth(stakes) > growth(np.minimum(stakes*change, .999/target))).all()
