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


def test_run_reports_cell_environment_and_slow():
    with TemporaryDirectory() as folder:
        good, bad = Path(folder)/"good.ipynb", Path(folder)/"bad.ipynb"
        _write(good, "import os", "#| slow\n1/0", "os.environ['X_OF_TEST']")
        _write(bad, "y = 2", "#| export\ny.nothing")
        before = bad.read_bytes()
        done, failed = run_notebooks([good, bad], {"X_OF_TEST": "here"}, jobs=2, keep=True)
        assert done.status == "done" and "'here'" in good.read_text() and "1/0" in good.read_text()
        assert (failed.status, failed.cell, failed.source) == ("failed", 2, "y.nothing")
        assert failed.error.startswith("AttributeError") and done.seconds > 0
        assert bad.read_bytes() == before
        assert run_notebooks([good], {"X_OF_TEST": ""}, slow=True)[0].error.startswith("ZeroDivisionError")
        mended = run_notebooks([bad], keep=True, prepare=lambda source: source.replace("nothing", "real"))
        assert mended[0].status == "done" and "y.nothing" in bad.read_text()     # the source stays as it was


def test_termination_ends_the_kernel_and_keeps_the_notebook():
    with TemporaryDirectory() as folder:
        path = Path(folder)/"long.ipynb"
        first = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))"
        _write(path, first, "time.sleep(60)")
        before = path.read_bytes()
        code = f"from reject_nb.dev.runner import run_notebooks; run_notebooks([{str(path)!r}], keep=True)"
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
