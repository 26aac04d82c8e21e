"""Tests of nbs/ood/00_overview.ipynb, extracted from its test cells: edit them there."""

def test_public_names_of_the_room():
    from reject_nb import ood
    for name in ("CostBasedOOD BoundedTPRFPR BoundedPrecisionRecall tune_single_score tune_double_score auroc aupr oscr roc_curve precision_recall_curve ccr_fpr_curve "
                 "selective_risk_at DoubleScoreSelector synthetic_example msp mls odin react knn vim").split(): assert callable(getattr(ood, name))
