"""Tests of nbs/dev/03_runner.ipynb, extracted from its test cells: edit them there."""
import nbformat
import os
import pytest
import subprocess
import sys
import time
from pathlib import Path
from reject_nb.dev.notebooks import to_text
from tempfile import TemporaryDirectory

from reject_nb.dev.runner import run_notebooks

def _write(path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    path.write_text(to_text(nbformat.v4.new_notebook(cells=cells)))


@pytest.mark.parametrize("warm", [False, True])
def test_run_reports_cell_environment_and_slow(warm):
    with TemporaryDirectory() as folder:
        good, bad = Path(folder)/"good.ipynb", Path(folder)/"bad.ipynb"
        _write(good, "import os", "#| slow\n1/0", "os.environ['X_OF_TEST']")
        _write(bad, "y = 2", "#| export\ny.nothing")
        before = bad.read_bytes()
        env = {"X_OF_TEST": "here"}
        done, failed = run_notebooks([good, bad], env, jobs=2, keep=True, warm=warm)
        assert done.status == "done" and "'here'" in good.read_text() and "1/0" in good.read_text()
        assert (failed.status, failed.cell, failed.source) == ("failed", 2, "y.nothing")
        assert failed.error.startswith("AttributeError") and done.seconds > 0
        assert bad.read_bytes() == before
        assert run_notebooks([good], {"X_OF_TEST": ""}, slow=True)[0].error.startswith("ZeroDivisionError")
        again = run_notebooks([good], {"X_OF_TEST": "there"})[0].moved
        assert [(moved.cell, moved.old, moved.new) for moved in again] == [(3, "'here'", "'there'")]
        assert run_notebooks([good], env)[0].moved == ()
        mended = run_notebooks([bad], keep=True, prepare=lambda source: source.replace("nothing", "real"))
        assert mended[0].status == "done" and "y.nothing" in bad.read_text()     # the source stays as it was


def test_warm_kernels_share_nothing_and_show_pictures():
    with TemporaryDirectory() as folder:
        paths = [Path(folder)/"first.ipynb", Path(folder)/"second.ipynb"]
        _write(paths[0], "import sys, numpy; numpy.left_behind = 1",
               "'reject_nb' in sys.modules, sys.argv[0]")
        _write(paths[1], "import numpy, matplotlib.pyplot as plt; hasattr(numpy, 'left_behind')",
               "plt.plot([1, 2]);")
        first, second = run_notebooks(paths, keep=True, warm=True)
        assert first.status == second.status == "done", (first.error, second.error)
        texts = [path.read_text() for path in paths]
        assert "(False, 'ipykernel_launcher')" in texts[0]
        assert "False" in texts[1] and "image/png" in texts[1]


@pytest.mark.parametrize("warm", [False, True])
def test_termination_ends_the_kernel_and_keeps_the_notebook(warm):
    with TemporaryDirectory() as folder:
        path = Path(folder)/"long.ipynb"
        first = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))"
        _write(path, first, "time.sleep(60)")
        before = path.read_bytes()
        code = ("from reject_nb.dev.runner import run_notebooks; "
                f"run_notebooks([{str(path)!r}], keep=True, warm={warm})")
        process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
        pid = Path(folder)/"pid"
        for _ in range(600):
            if pid.exists() and pid.read_text(): break
            time.sleep(.1)
        process.terminate()
        _, stderr = process.communicate(timeout=60)
        assert process.returncode != 0 and b"KeyboardInterrupt" in stderr and path.read_bytes() == before
        with pytest.raises(ProcessLookupError):
            for _ in range(100):
                os.kill(int(pid.read_text()), 0)
                time.sleep(.1)
