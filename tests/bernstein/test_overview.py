"""Tests of nbs/bernstein/00_overview.ipynb, extracted from its test cells: edit them there."""

def test_public_names():
    import reject_nb.bernstein as module
    names = ["BoundCalibration", "FORMULATIONS", "RobustSVC", "UncertainData", "UncertainRows",
             "UncertainScaler", "calibrate_bound", "nom_err", "nu", "opt_err"]
    assert sorted(module.__all__) == names and set(names) <= set(dir(module))
    assert list(module.FORMULATIONS)[:4] == ["SVM", "MM-M", "MM-S", "MM-MC"]
    assert len(module.FORMULATIONS) == 12
    assert module.nu(0, 0, .5) == module.nu(0., 0., .5) and callable(module.nu)
    assert all(getattr(module, n) is not None for n in names)


def test_the_module_loads_what_is_asked_for():
    import subprocess
    import sys
    code = ("import sys, reject_nb.bernstein as b; b.nu(0, 0, .5); "
            "print('sklearn' in sys.modules, 'cvxpy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout.split() == ["False", "False"]
