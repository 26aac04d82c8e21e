"""Tests of nbs/ood/00_overview.ipynb, extracted from its test cells: edit them there."""
import subprocess
import sys

def test_public_names_of_the_module():
    from reject_nb import ood
    names = """CostBasedOOD BoundedTPRFPR BoundedPrecisionRecall tune_single_score tune_double_score auroc
               aupr oscr roc_curve precision_recall_curve ccr_fpr_curve selective_risk_at DoubleScoreSelector
               synthetic_example msp mls odin react knn vim
               certify_targets report score_on_line best_area naive_grid""".split()
    for name in names: assert callable(getattr(ood, name)) and name in dir(ood) and name in ood.__all__


def test_functions_come_without_scikit_learn():
    "In a fresh process: names are loaded when they are used, and the functions need no scikit-learn."
    code = ("import sys, reject_nb.ood as ood; ood.tune_double_score; ood.auroc; ood.knn; "
            "print('sklearn' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout.strip() == "False"
