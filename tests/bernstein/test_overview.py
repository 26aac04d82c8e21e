"""Tests of nbs/bernstein/00_overview.ipynb, extracted from its test cells: edit them there."""

def test_public_names():
    import reject_nb.bernstein as room
    assert set(room.__all__) >= {"FORMULATIONS", "RobustSVC", "UncertainData", "nom_err", "nu", "opt_err"}
    assert list(room.FORMULATIONS) == ["SVM", "MM-M", "MM-S", "MM-MC", "MM-SBMV", "MM-SBMV-I", "MM-SMV", "MM-SMV-I", "MM-SBM", "MM-SBM-I", "MM-SM", "MM-SM-I"]
    assert room.nu(0, 0, .5) == room.nu(0., 0., .5) and callable(room.nu)
