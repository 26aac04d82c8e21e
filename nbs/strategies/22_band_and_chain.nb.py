# %% [markdown]
# # Band and one chain
#
# > A certified threshold on the risk of accepted inputs, with more coverage than fixed sequences, proved for every law.

# %%
#| default_exp strategies.band_and_chain

# %%
#| export
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from reject_nb.core.tails import order_statistic_rank
from reject_nb.strategies.walks import _advance, band_probability, calibrated_band

# %% [markdown]
# How many inputs may a classifier answer so that, with confidence $1-\delta$, at most a share $t$ of its answers is wrong? Calibration examples are
# sorted by a score, most certain first. Two honest ways of looking at them have opposite weaknesses:
#
# - **A chain** begins at a rank that is fixed in advance and goes on as long as a test rejects "the risk is above $t$". Each test may use
#   all of $\delta$. But where the start fails, all is lost: with a score that sorts perfectly, the first hundred examples may be
#   all there is to accept, and the chain begins at the second hundred.
# - **A band** looks at every rank at once. Nothing is missed, but each single look is stricter.
#
# This procedure has both, and shares $\delta$ between them without waste: the probability that a bad classifier passes the band *or*
# the chain is computed exactly.
#
# | symbol | variable | shape |
# |---|---|---|
# | $n$, $t$, $\delta$ | `n`, `target`, `delta` | examples, target risk, one minus the confidence |
# | $S(m)$ | `errors` | (n + 1,) errors among the first m examples |
# | $b(m)$ | `band` | (n + 1,) so few errors certify rank m by themselves |
# | $g(m)$ | `gate` | (n + 1,) so few errors keep the chain alive at rank m |
# | $m_0$ | `start` | rank at which the chain begins |
# | $\omega$ | `share` | share of $\delta$ that the band may use |
# | $V_m(k)$ | `ahead` | probability of $S(m)=k$ and no hit up to $m$, flat law |
# | $A_m(k)$ | `behind` | probability of a hit after $m$, given $S(m)=k$ |

# %%
#| hide
import pytest

from reject_nb.dev.testing import run_tests

# %% [markdown]
# ## What it does
#
# The design - band, gate and start - depends on $n,t,\delta$ alone, never on the data.

# %%
#| export
class Design(NamedTuple):
    "Bounds on the errors of a sorted calibration sample; (n + 1,) arrays indexed by the rank."
    band: np.ndarray # so few errors certify a rank by themselves; -1: none are few enough
    gate: np.ndarray # so few errors keep the chain alive; -1 before the start
    start: int       # where the chain begins

def certified_rank(
    errors:np.ndarray, # (n + 1,) errors among the first m examples, errors[0] = 0
    ends:np.ndarray,   # (groups,) last ranks of groups of equal scores, ascending, the last is n
    design:Design,     # for this n
) -> int:              # 0 where nothing is certified
    """Largest rank that the band certifies by itself or that the chain reaches.

    Source: the theorems on the page on validity; ties as there: ranks inside a group cannot be thresholds."""
    few = ends[errors[ends] <= design.band[ends]]
    best = int(few[-1]) if len(few) else 0
    along = ends[ends >= design.start]
    allowed = design.gate[along]
    allowed[:1] = design.gate[design.start]    # a group that spans the start is judged as the start
    alive = np.logical_and.accumulate(errors[along] <= allowed)
    return max(best, int(along[alive][-1])) if alive.any() else best

# %% [markdown]
# Six examples; the band asks for no error up to rank 2, the chain begins at rank 3 and allows one error. The fourth example is wrong, and
# so is the sixth: the chain lives up to rank 5.

# %%
six = Design(band=np.array([-1, -1, 0, 0, 0, 0, 0]), gate=np.array([-1, -1, -1, 1, 1, 1, 1]), start=3)
labels = np.array([0, 0, 0, 1, 0, 1])
certified_rank(np.append(0, labels.cumsum()), np.arange(1, 7), six)

# %%
#| test
@pytest.mark.parametrize("labels, ends, rank", [
    ([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6], 5), ([0, 0, 1, 1, 0, 0], [1, 2, 3, 4, 5, 6], 3), ([0, 0, 1, 1, 0, 0], [1, 2, 4, 5, 6], 2), ([1, 0, 1, 0, 0, 0], [1, 2, 3, 4, 5, 6], 0),
    ([0]*6, [1, 2, 3, 4, 5, 6], 6), ([0, 0, 0, 1, 0, 1], [2, 4, 6], 4), ([0, 0, 1, 1, 0, 0], [6], 0), ([1, 0, 0, 0, 0, 0], [6], 6),
    ([1, 1, 0, 0, 0, 0], [1, 6], 0)])
def test_the_walk_of_six(labels, ends, rank):
    assert certified_rank(np.append(0, np.cumsum(labels)), np.array(ends), six) == rank

run_tests(test_the_walk_of_six)

# %% [markdown]
# ## The gate
#
# The largest $k$ at which a bad classifier passes band or gate with probability at most $\delta$:
# $$1-\sum_{j>k}V_m(j)\bigl(1-A_m(j)\bigr)\le\delta .$$
# The sum is the probability that neither happens: more than $k$ errors at rank $m$, no hit before, none after. $V$ is found by going forward,
# $A$ by going backward,
# $$A_{m-1}(k)=(1-t)\,A'_m(k)+t\,A'_m(k+1),\qquad A'_m(k)=1\text{ where }k\le b(m).$$

# %%
#| export
@njit(cache=True)
def _largest_count(ahead, behind, low, high, delta):
    "Largest k with 1 - sum over j > k of ahead[j] (1 - behind[j]) <= delta; -1 where there is none."
    missed = 0.
    for k in range(high, low - 1, -1):
        missed += ahead[k - low]*(1 - behind[k])
        if missed >= 1 - delta: return k - 1
    return -1

@njit(cache=True)
def _backward(behind, low, high, next_low, next_high, target):
    "From A at rank m, on low..high, to A at rank m - 1, on next_low..next_high; above `high` it is no larger."
    top = behind[high]
    here = 1. if next_low < low else behind[min(next_low, high)]
    for k in range(next_low, next_high + 1):
        above = 1. if k + 1 < low else (behind[k + 1] if k + 1 <= high else top)
        behind[k] = (1 - target)*here + target*above
        here = above

# %% [markdown]
# By hand, with one example left and $t=.1$: the band is hit at count 0 only, so $A'$ is 1 at 0 and 0 above, and one step back $A(0)=.9$.

# %%
behind = np.zeros(4)
_backward(behind, 1, 2, 0, 1, .1)       # at this rank counts 1 and 2 are no hits
behind[:2], _largest_count(np.array([.9, .1]), behind, 0, 1, .95)

# %% [markdown]
# Both recursions are needed at every rank, in opposite directions. Storing all of $V$ would take gigabytes for $n=10^5$; it is kept
# at every $\sqrt n$-th rank and made again block by block on the way back.

# %%
#| export
class Window(NamedTuple):
    "Forward masses at several ranks."
    mass: np.ndarray # (ranks, width), from count `low` on
    low: np.ndarray  # (ranks,)
    high: np.ndarray # (ranks,)

@njit(cache=True)
def _keep(window, i, mass, low, high):
    "Store the masses of one rank."
    window.low[i], window.high[i] = low, high
    for k in range(low, high + 1): window.mass[i, k - low] = mass[k]

@njit(cache=True)
def _width(band, target):
    "Most counts that are followed at any rank."
    n = len(band) - 1
    mass = np.zeros(n + 3)
    mass[0], low, high, width = 1., 0, 0, 1
    for m in range(1, n + 1):
        low, high, _ = _advance(mass, low, high, target, band[m])
        width = max(width, high - low + 1)
    return width

# %%
#| export
@njit(cache=True)
def _checkpoints(band, target, step, window):
    "Go forward once and keep every `step`-th rank."
    n = len(band) - 1
    mass = np.zeros(n + 3)
    mass[0], low, high = 1., 0, 0
    _keep(window, 0, mass, low, high)
    for m in range(1, n + 1):
        low, high, _ = _advance(mass, low, high, target, band[m])
        if m % step == 0: _keep(window, m//step, mass, low, high)

@njit(cache=True)
def _replay(band, target, first, last, start, window):
    "Go forward from a checkpoint and keep the ranks `first` to `last`, in rows 0, 1, ..."
    mass = np.zeros(len(band) + 2)
    low, high = start.low[0], start.high[0]
    for k in range(low, high + 1): mass[k] = start.mass[0, k - low]
    _keep(window, 0, mass, low, high)
    for m in range(first + 1, last + 1):
        low, high, _ = _advance(mass, low, high, target, band[m])
        _keep(window, m - first, mass, low, high)

# %%
#| export
@njit(cache=True)
def _gate(band, target, delta, start, step, kept, block):
    "Largest counts that keep the chain alive, for ranks from `start` on."
    n = len(band) - 1
    gate, behind, last = np.full(n + 1, -1), np.zeros(n + 3), n
    for c in range((n - 1)//step, -1, -1):
        first = c*step
        _replay(band, target, first, last, Window(kept.mass[c:c+1], kept.low[c:c+1], kept.high[c:c+1]), block)
        for m in range(last, first, -1):
            i = m - first
            if m >= start: gate[m] = _largest_count(block.mass[i], behind, block.low[i], block.high[i], delta)
            _backward(behind, block.low[i], block.high[i], block.low[i - 1], block.high[i - 1], target)
        last = first
    return gate

def _window(ranks:int, width:int) -> Window:
    "Room for some ranks."
    return Window(mass=np.zeros((ranks, width)), low=np.zeros(ranks, np.int64), high=np.zeros(ranks, np.int64))

def gate_of(
    band:np.ndarray, # (n + 1,)
    target:float,    # in (0, 1)
    delta:float,     # probability that band or gate is passed, in (0, 1)
    start:int,       # first rank of the chain, from 1 to n
) -> np.ndarray:     # (n + 1,), -1 before the start and where no count is low enough
    "The widest gate beside a band: at each rank, band or gate is passed with probability at most delta."
    n, width = len(band) - 1, _width(band, target) + 1
    step = max(1, math.isqrt(n))
    kept, block = _window(n//step + 1, width), _window(step + 1, width)
    _checkpoints(band, target, step, kept)
    return _gate(band, target, delta - 1e-12, start, step, kept, block)      # 1e-12 for rounding of the sums

# %% [markdown]
# Without a band the gate is the plain binomial test at level $\delta$. A band takes its share: the gate allows fewer errors.

# %%
from scipy.stats import binom

band = calibrated_band(400, .05, .06)
alone, beside = gate_of(np.full(401, -1), .05, .1, 200), gate_of(band, .05, .1, 200)
[(m, alone[m], beside[m], band[m]) for m in (200, 300, 400)], round(binom.cdf(alone[200], 200, .05), 3)

# %%
#| test
def _passes(band, target, rank, count):
    "P(some S(m) <= band[m], or S(rank) <= count), by a band that has both at the one rank alone."
    n, total = len(band) - 1, 0.
    for code in range(2**n):
        S = np.append(0, np.cumsum([(code >> i) & 1 for i in range(n)]))
        if (S[1:] <= band[1:]).any() or S[rank] <= count: total += target**S[n]*(1 - target)**(n - S[n])
    return total

@pytest.mark.parametrize("band", [[-1]*11, [-1, -1, -1, 0, 0, 0, 1, 1, 1, 1, 2], [-1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
@pytest.mark.parametrize("target, delta", [(.3, .3), (.5, .4), (.4, .5)])
def test_the_gate_is_the_largest(band, target, delta):
    band = np.array(band)
    gate = gate_of(band, target, delta, 1)
    for rank in range(1, 11):
        if gate[rank] >= 0: assert _passes(band, target, rank, gate[rank]) <= delta
        assert _passes(band, target, rank, gate[rank] + 1) > delta - 1e-9

def test_compiled_and_python_agree():
    band, target = calibrated_band(30, .2, .1), .2
    window, plain = _window(7, _width(band, target) + 1), _window(7, _width.py_func(band, target) + 1)
    _checkpoints(band, target, 5, window)
    _checkpoints.py_func(band, target, 5, plain)
    for a, b in zip(window, plain): np.testing.assert_array_equal(a, b)
    block = _window(6, window.mass.shape[1])
    found = _gate.py_func(band, target, .2, 10, 5, window, block)
    np.testing.assert_array_equal(found, _gate(band, target, .2, 10, 5, window, block))

run_tests(test_the_gate_is_the_largest)
test_compiled_and_python_agree()

# %% [markdown]
# ## The design
#
# Three choices remain, all of them functions of $n,t,\delta$:
#
# 1. *The start.* The chain begins at $10/t$ examples or half the sample, whichever is less, and never before a sample without errors would suffice.
# 2. *The share of the band.* .5, .6 or .7: whichever keeps the gate at the start widest, of those the largest.
# 3. *Whole numbers.* At some $n$ the single test at the start uses up exactly all of $\delta$, and any band would cost it one allowed error. The
#    start then moves up to the first rank, at most a fifth later, where that number of errors is allowed beside the band.
#
# With few examples, less than three times what is needed without an error, there is no band: one chain has all of $\delta$.

# %%
#| export
SHARES = (.5, .6, .7) # of delta, for the band
LATEST = 1.2          # how far the start may move

def examples_needed(target:float, level:float) -> int:
    "Examples that refute a risk of `target` at `level` if none of them is wrong."
    return math.ceil(math.log(level)/math.log1p(-target))

def first_rank(
    n:int,        # examples
    target:float, # in (0, 1)
    least:int,    # examples below which nothing can be certified
) -> int:
    "Where a chain begins: 10/target examples or half of them, but not before `least`, and within the sample."
    return min(n, max(least, min(math.ceil(10/target), n//2)))

def _smooth(gate:np.ndarray, start:int) -> np.ndarray:
    "The largest gate below that does not fall and rises by single steps, which ties need."
    gate = gate.copy()
    gate[start:] = np.minimum.accumulate(gate[start:][::-1])[::-1]
    for m in range(start + 1, len(gate)): gate[m] = min(gate[m], gate[m - 1] + 1)
    gate[:start] = -1
    return gate

# %%
examples_needed(.05, .1), first_rank(1000, .05, 45), first_rank(100, .05, 45), _smooth(np.array([0, 3, 2, 5]), 1)

# %%
#| export
def _beside_a_band(n:int, target:float, delta:float, share:float, start:int) -> tuple[tuple, Design]:
    "How good a share is (keeps the errors of a single test; starts early; a wide gate; large), and its design."
    band = calibrated_band(n, target, share*delta)
    gate = np.maximum(band, gate_of(band, target, delta, start))
    alone = order_statistic_rank(start, target, delta) - 1       # errors allowed by the single test
    later = np.flatnonzero(gate[start:int(start*LATEST) + 1] >= alone)
    if len(later): start += int(later[0])
    return (len(later) > 0, -start, gate[start], share), Design(band, _smooth(gate, start), start)

@lru_cache(maxsize=128)
def design_band_and_chain(
    n:int,        # examples
    target:float, # target risk, in (0, 1)
    delta:float,  # 1 - confidence, in (0, 1)
) -> Design|None: # None where n examples cannot certify the target
    "The design for a sample size, a target and a confidence; remembered."
    least = examples_needed(target, delta)
    if n < least: return None
    if n < 3*least:
        start = first_rank(n, target, least)
        none = np.full(n + 1, -1)
        return Design(none, _smooth(gate_of(none, target, delta, start), start), start)
    start = first_rank(n, target, examples_needed(target, delta/2) + 1)
    return max((_beside_a_band(n, target, delta, share, start) for share in SHARES), key=lambda found: found[0])[1]

# %%
design = design_band_and_chain(1000, .05, .1)
design.start, [(m, design.band[m], design.gate[m]) for m in (60, 100, 200, 500, 1000)]

# %% [markdown]
# By rank 200 the band certifies with 3 errors where the chain needs no more than 5; a single test at level .1 would allow 5 or 6. At rank 1000
# the flat law has 50 errors on average; 39 keep the chain alive.

# %%
#| test
def _band_or_gate(design, rank, target):
    "P(a hit, or S(rank) <= gate[rank]), by a plain forward recursion over all counts."
    n = len(design.band) - 1
    mass, passed = np.zeros(n + 2), 0.
    mass[0] = 1.
    for m in range(1, n + 1):
        mass[1:] = (1 - target)*mass[1:] + target*mass[:-1]
        mass[0] *= 1 - target
        bound = max(design.band[m], design.gate[m] if m == rank else -1)
        passed += mass[:bound + 1].sum()
        mass[:bound + 1] = 0
    return passed

@pytest.mark.parametrize("n, target, delta", [(60, .1, .1), (200, .05, .05), (250, .05, .05), (1000, .05, .1), (800, .02, .1), (3000, .01, .05)])
def test_a_design_uses_its_level_and_no_more(n, target, delta):
    design = design_band_and_chain(n, target, delta)
    for m in (design.start, (design.start + n)//2, n):
        assert _band_or_gate(design, m, target) <= delta
    steps = np.diff(design.gate[design.start:])
    assert (steps >= 0).all() and (steps <= 1).all()
    assert design.start <= LATEST*first_rank(n, target, examples_needed(target, delta/2) + 1) + 1

def test_too_few_examples_have_no_design():
    least = examples_needed(.05, .1)
    assert .95**least <= .1 < .95**(least - 1)
    assert design_band_and_chain(least - 1, .05, .1) is None and design_band_and_chain(least, .05, .1).gate[least] == 0

run_tests(test_a_design_uses_its_level_and_no_more)
test_too_few_examples_have_no_design()

# %% [markdown]
# ## What it buys
#
# Three classifiers: a score that sorts perfectly but stops early, one that sorts a little, one that says nothing while the risk is below the target
# anyway. 300 samples of 1,000 examples each, target .05, confidence .9: the coverage that is certified on average.

# %%
LAWS = {"safe below .3, then half wrong": lambda s: np.where(s < .3, 0., .5),
        "errors grow as s/5": lambda s: s/5,
        "risk .03, whatever the score": lambda s: np.full(len(s), .03)}

def coverage(law, method, repetitions=300, n=1000, seed=0):
    "Mean certified coverage; scores are uniform, so that a threshold is its coverage."
    rng, total = np.random.default_rng(seed), 0.
    for _ in range(repetitions):
        s = np.sort(rng.random(n))
        rank = method(np.append(0, np.cumsum(rng.random(n) < law(s))))
        total += 1. if rank == n else s[rank - 1] if rank else 0.
    return total/repetitions

def by(design): return lambda errors: certified_rank(errors, np.arange(1, len(errors)), design)

full = design_band_and_chain(1000, .05, .1)
nothing = np.full(1001, -1)
chain = Design(nothing, _smooth(gate_of(nothing, .05, .1, 200), 200), 200)
only_band = Design(calibrated_band(1000, .05, .1), nothing, 1000)
table = {name: [coverage(law, by(d)) for law in LAWS.values()]
         for name, d in (("chain alone", chain), ("band alone", only_band), ("band and chain", full))}

# %%
from reject_nb.core.tables import show_table

show_table({"law": list(LAWS), **table})

# %% [markdown]
# ## A picture: where it looks

# %%
import matplotlib.pyplot as plt

from reject_nb.core.figures import PALETTE, figure

n, m, rng = 1000, np.arange(1001), np.random.default_rng(4)
s = np.sort(rng.random(n))
errors = np.append(0, np.cumsum(rng.random(n) < s/5))
rank = certified_rank(errors, m[1:], full)
fig, ax = figure(width=6.4, height=3.4)
ax.plot(m, errors - .05*m, color="grey", label="errors of a sample whose risk grows")
ax.plot(m, np.where(full.band >= 0, full.band - .05*m, np.nan), color=PALETTE[0], label="band")
ax.plot(m[full.start:], (full.gate - .05*m)[full.start:], color=PALETTE[1], label="gate of the chain")
ax.axvline(rank, color="black", lw=.8)
ax.annotate(f"certified: {rank} of {n}", (rank + 10, 6))
ax.set(xlabel="examples accepted, m", ylabel="errors minus what the target allows", ylim=(-16, 30))
ax.legend()
plt.show()

# %% [markdown]
# ## Limits
#
# - Losses are 0 or 1. Losses between need other tests (`reject_nb.strategies.bounded`).
# - The score must not have been fitted to the calibration sample, and $n,t,\delta$ are chosen before it is looked at.
# - A score without meaning, with a risk just below the target, is certified only with many examples: no procedure can tell
#   .04 from .05 by 200.
