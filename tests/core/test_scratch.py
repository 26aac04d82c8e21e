"""Tests of nbs/core/11_scratch.ipynb, extracted from its test cells: edit them there."""
import os
import pytest
import subprocess
import sys
import tempfile
from pathlib import Path
from reject_nb.core.scratch import ABANDONED
from types import SimpleNamespace
from unittest import mock

from reject_nb.core.scratch import _is_dead, clear_dead, scratch_folder, try_lock

WORK = """
import sys, time
from reject_nb.core.scratch import scratch_folder
with scratch_folder(sys.argv[1]) as folder:
    (folder/"half").write_text("1")
    print(folder.name, flush=True)
    time.sleep(600)
"""

def _worker(parent):
    process = subprocess.Popen([sys.executable, "-c", WORK, str(parent)], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


@pytest.mark.skipif(os.name == "nt", reason="no lock on Windows: age decides")
def test_folders_of_the_dead_go_and_those_of_the_living_stay():
    with tempfile.TemporaryDirectory() as parent:
        killed, dead = _worker(parent)
        living, alive = _worker(parent)
        killed.kill()
        killed.wait()
        assert {p.name for p in Path(parent).iterdir()} == {dead, alive}
        with scratch_folder(parent) as mine:
            assert {p.name for p in Path(parent).iterdir()} == {alive, mine.name}
        living.kill()
        living.wait()
        assert clear_dead(parent, ".part-") == [alive] and list(Path(parent).iterdir()) == []
        for process in (killed, living): process.stdout.close()


def test_a_folder_goes_when_the_block_fails():
    with tempfile.TemporaryDirectory() as parent:
        with pytest.raises(ZeroDivisionError), scratch_folder(parent) as folder:
            (folder/"deep").mkdir()
            1/0
        assert list(Path(parent).iterdir()) == []


def test_other_things_in_the_folder_are_left_alone():
    with tempfile.TemporaryDirectory() as parent:
        (Path(parent)/".part-file").write_text("a file, not a folder")
        (Path(parent)/"part").mkdir()
        assert clear_dead(parent, ".part-") == [] and len(list(Path(parent).iterdir())) == 2

POSIX = pytest.mark.skipif(os.name == "nt", reason="no lock on Windows")

def test_where_nothing_can_be_locked_age_decides():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.utime(folder, (1000., 1000.))
        for now, dead in ((1000 + ABANDONED, False), (1000 + ABANDONED + 1, True)):
            there = dict(os=SimpleNamespace(name="nt"), time=SimpleNamespace(time=lambda now=now: now))
            with mock.patch.dict(_is_dead.__globals__, there): assert _is_dead(folder) is dead
    with mock.patch.dict("sys.modules", fcntl=None): assert try_lock(folder) is None


@POSIX
def test_a_lock_is_held_by_one():
    with tempfile.TemporaryDirectory() as name:
        first = try_lock(Path(name))
        assert try_lock(Path(name)) is None and _is_dead(Path(name)) is False
        os.close(first)
        assert _is_dead(Path(name)) is True
        again = try_lock(Path(name))                                # looking has left no lock behind
        assert again is not None
        os.close(again)


@POSIX
def test_handles_are_closed_and_the_parent_is_waited_for():
    "Both folders are locked and let go; where nothing can be locked nothing is closed."
    def locked(folder, wait=False):
        asked.append((Path(folder) == Path(name), wait))
        return handles.pop(0)
    for handles, closed in (([7, 8], [7, 8]), ([None, None], []), ([7, None], [7]), ([None, 8], [8])):
        asked, shut = [], []
        with tempfile.TemporaryDirectory() as name:
            there = dict(try_lock=locked, os=SimpleNamespace(close=shut.append, name="posix"),
                         clear_dead=lambda *_: None)
            with mock.patch.dict(scratch_folder.__wrapped__.__globals__,
                                 there), scratch_folder(name, "x-") as folder:
                assert folder.name.startswith("x-") and folder.parent == Path(name)
                assert shut == closed[:len(shut)]
            assert asked == [(True, True), (False, False)] and shut == closed and not folder.exists()


def test_a_folder_that_is_gone_already_is_no_trouble():
    with tempfile.TemporaryDirectory() as name:
        with scratch_folder(name) as folder: folder.rmdir()
        assert not folder.exists() and list(Path(name).iterdir()) == []
