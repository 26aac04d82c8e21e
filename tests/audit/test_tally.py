"""Tests of nbs/audit/11_tally.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tempfile
from pathlib import Path
from reject_nb.audit.table import TableError
from unittest.mock import patch

from reject_nb.audit.tally import Roles, Tally, _row_groups, is_large, read_tally, sample_of_part, tally_of

def _three(n=4000, seed=3):
    "Probabilities of three classes with labels, groups and strange inputs."
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 2, (n, 3))
    p = np.exp(logits)/np.exp(logits).sum(1, keepdims=True)
    label = (p.cumsum(1) < rng.random((n, 1))).sum(1)
    names = np.array(["cat", "dog", "eel"])
    return {**{f"p_{c}": p[:, i] for i, c in enumerate(names)}, "y": names[np.minimum(label, 2)],
            "ward": np.array(["A", "B"])[(rng.random(n) < .3).astype(int)], "odd": rng.random(n) < .05}

ROLES = Roles(label="y", probabilities="p_*", group="ward", ood="odd")

def _same(a, b):
    "Whether two tallies are equal, sums of floats to rounding."
    grids = a.grids.keys() == b.grids.keys() and a.ood.keys() == b.ood.keys()
    pairs = [(a.grids[k], b.grids[k]) for k in a.grids] + [(a.ood[k], b.ood[k]) for k in a.ood]
    equal = all((x.answers == y.answers).all() and (x.wrong == y.wrong).all() for x, y in pairs)
    return grids and equal and np.allclose(a.confidence, b.confidence, rtol=1e-12)


def test_all_ways_of_reading_count_the_same():
    "Row groups, one large row group, several files, frames of three kinds, and all at once."
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    import pandas as pd
    import polars as pl
    table = _three()
    whole = Tally().add(sample_of_part(table, ROLES))
    pq.write_table(pa.table(table), tmp_path/"a.parquet", row_group_size=700)
    pq.write_table(pa.table(table).slice(0, 1000), tmp_path/"b.parquet")
    pq.write_table(pa.table(table).slice(1000), tmp_path/"c.parquet")
    (tmp_path/"folder").mkdir()
    pq.write_table(pa.table(table), tmp_path/"folder"/"part.0.parquet")
    frames = [[kind(table)] for kind in (pd.DataFrame, pl.DataFrame, pa.table)]
    pd.DataFrame(table).to_csv(tmp_path/"a.csv", index=False)
    for source in (tmp_path/"a.csv", table, pd.DataFrame(table), pl.DataFrame(table), tmp_path/"a.parquet",
                   str(tmp_path/"a.parquet"),
                   [tmp_path/"b.parquet", tmp_path/"c.parquet"], tmp_path/"folder", *frames):
        assert _same(read_tally(source, ROLES), whole)
    assert sum(g.answers.sum() for g in whole.grids.values()) == 4000
    assert set(whole.ood) == {"max_probability"}


def test_what_is_large():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    import dask.dataframe as dd
    import pandas as pd
    path = tmp_path/"a.parquet"
    pq.write_table(pa.table(_three(100)), path)
    (tmp_path/"b.parquet").write_text("no")
    assert is_large(dd.from_pandas(pd.DataFrame(_three(50)), npartitions=1))
    for table in (path, tmp_path, tmp_path/"b.parquet", tmp_path/"c.parquet", _three(5),
                  "x.csv"): assert not is_large(table)
    with patch.dict(is_large.__globals__, MOST_ROWS=99):
        assert is_large(path) and is_large(str(tmp_path)) and not is_large(tmp_path/"b.parquet")


def test_large_row_groups_are_cut():
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    pq.write_table(pa.table(_three()), tmp_path/"a.parquet")
    with patch.dict(_row_groups.__globals__, STEP=100):
        pieces = list(_row_groups(tmp_path/"a.parquet", ROLES.columns))
    assert len(pieces) == 40 and _same(tally_of(pieces, ROLES), Tally().add(sample_of_part(_three(), ROLES)))


@pytest.mark.parametrize("change, words", [
    (("p_dog", 2500, np.nan), "column 'p_dog', row 2501"), (("p_dog", 2500, 2.), "row 2501"),
    (("y", 2500, None), "column 'y', row 2501"), (("y", 2500, "cow"), "row 2501")])
def test_an_error_names_the_row_of_the_file(change, words):
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)
    name, row, value = change
    table = {k: np.array(v, dtype=object if v.dtype.kind == "U" else None) for k, v in _three().items()}
    table[name][row] = value
    pq.write_table(pa.table(table), tmp_path/"a.parquet", row_group_size=700)
    with pytest.raises(TableError) as error: read_tally(tmp_path/"a.parquet", ROLES)
    assert words in str(error.value) and error.value.row in (2501, None)


@pytest.mark.parametrize("table, words", [(3, "table must be"), ("nothing.parquet", "there is none"),
                                          ([], "must hold rows"), ("nothing.txt", "there is none")])
def test_what_cannot_be_read(table, words):
    with pytest.raises(ValueError, match=words): read_tally(table, ROLES)


def test_only_zero_and_one_can_be_counted():
    with pytest.raises(ValueError, match="^losses must be 0 or 1"):
        tally_of([{"l": [0., .5], "s": [.1, .2]}], Roles(losses="l", scores="s"))
    with pytest.raises(ValueError, match="^group must have fewer"):
        tally_of([{"l": np.zeros(60), "s": np.zeros(60), "g": np.arange(60)}],
                 Roles(losses="l", scores="s", group="g"))
    with pytest.raises(TableError, match="is missing"):
        tally_of([{"l": [0.], "s": [0.]}], Roles(losses="x", scores="s"))


def test_dask_counts_the_same():
    "Nine partitions, empty ones among them, through two rounds of the tree."
    import dask
    import dask.dataframe as dd
    import pandas as pd
    table = pd.DataFrame(_three(900))
    frame = dd.from_pandas(table, npartitions=5)
    frame = dd.concat([frame, dd.from_pandas(table[:400], npartitions=4).query("p_cat > 2")])
    with dask.config.set(scheduler="synchronous"): found = read_tally(frame, ROLES)
    assert _same(found, Tally().add(sample_of_part(table, ROLES)))
    with dask.config.set(scheduler="synchronous"), pytest.raises(TableError, match="is missing"):
        read_tally(frame, Roles(label="nothing", probabilities="p_*"))


def _part(first):
    "A partition that takes a while."
    import time

    import pandas as pd
    time.sleep(.15)
    return pd.DataFrame(_three(2000, seed=int(first)))


@pytest.mark.slow
def test_a_worker_may_die():
    "Two workers, one killed half-way: the same counts, every row once."
    import os
    import signal
    import threading

    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster
    whole = sum((Tally().add(sample_of_part(_three(2000, seed=i), ROLES)) for i in range(40)), Tally())
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        pids = [worker.pid for worker in cluster.workers.values()]
        killer = threading.Timer(2., os.kill, (pids[0], signal.SIGKILL))
        killer.start()
        found = read_tally(dd.from_map(_part, range(40), meta=_part(0)), ROLES)
        killer.join()
    assert _same(found, whole) and sum(g.answers.sum() for g in found.grids.values()) == 80_000
