"""Tests of nbs/core/11_scratch.ipynb, extracted from its test cells: edit them there."""
import os
import pytest
import subprocess
import sys
import tempfile
from pathlib import Path

from reject_nb.core.scratch import clear_dead, scratch_folder

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
