"""Tests of nbs/audit/00_overview.ipynb, extracted from its test cells: edit them there."""
import inspect
import reject_nb.audit as package
import subprocess
import sys

def test_every_public_name_is_there_and_says_what_it_is():
    for name in package.__all__: assert inspect.getdoc(getattr(package, name)) and name in dir(package)


def test_arrays_need_neither_frames_nor_scikit_learn():
    use = "a.Audit([0]*99 + [1], probabilities=[[.9, .1]]*100).certify(.2)"
    heavy = "sklearn", "pandas", "polars", "pyarrow", "torch"
    code = f"import sys, reject_nb.audit as a; {use}; print([m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"
