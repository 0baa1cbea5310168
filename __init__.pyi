from .analysis.cut_curves import cut_curve as cut_curve
from .analysis.cut_curves import cut_plane as cut_plane
from .analysis.evaluation import evaluate as evaluate
from .analysis.explain import explain as explain
from .analysis.front import front as front
from .analysis.front import hypervolume as hypervolume
from .analysis.front import knee as knee
from .analysis.guarantee import Guarantee as Guarantee
from .analysis.plots import plot_band as plot_band
from .analysis.plots import plot_cells as plot_cells
from .analysis.plots import plot_distributions as plot_distributions
from .analysis.plots import plot_final as plot_final
from .analysis.plots import plot_frontier as plot_frontier
from .analysis.plots import plot_plane as plot_plane
from .analysis.plots import plot_question as plot_question
from .analysis.plots import plot_reliability as plot_reliability
from .analysis.plots import plot_separation as plot_separation
from .analysis.plots import plot_shrinkage as plot_shrinkage
from .analysis.plots import plot_simplicity as plot_simplicity
from .analysis.plots import plot_stops as plot_stops
from .analysis.plots import plot_threshold as plot_threshold
from .analysis.plots import plot_transfer as plot_transfer
from .analysis.plots import save_figure as save_figure
from .analysis.rule_differences import rule_differences as rule_differences
from .analysis.selection import Budget as Budget
from .analysis.selection import Knee as Knee
from .analysis.selection import Retain as Retain
from .analysis.selection import Utility as Utility
from .analysis.selection import select as select
from .analysis.signals import signal_profiles as signal_profiles
from .enumerate.replay import Replay as Replay
from .enumerate.replay import replay as replay
from .enumerate.search import search as search
from .enumerate.space import Space as Space
from .enumerate.space import space as space
from .rules.build import COST as COST
from .rules.build import ROUND as ROUND
from .rules.build import at_least as at_least
from .rules.build import change as change
from .rules.build import clip as clip
from .rules.build import fixed as fixed
from .rules.build import missing as missing
from .rules.build import repeat as repeat
from .rules.build import signal as signal
from .rules.build import so_far_max as so_far_max
from .rules.build import so_far_min as so_far_min
from .rules.build import streak as streak
from .rules.build import total as total
from .rules.expression import HOLE as HOLE
from .rules.expression import Rule as Rule
from .rules.jsonform import from_json as from_json
from .rules.jsonform import to_json as to_json
from .rules.named import NAMED as NAMED
from .rules.named import tasr as tasr
from .rules.stopper import Stopper as Stopper
from .rules.text import parse as parse
from .trajectories.answers import exact_match as exact_match
from .trajectories.answers import f1 as f1
from .trajectories.answers import normalise as normalise
from .trajectories.calibration import Calibrator as Calibrator
from .trajectories.errors import StopruleError as StopruleError
from .trajectories.reading import read_trajectories as read_trajectories
from .trajectories.table import Trajectories as Trajectories

__all__ = [
    "COST",
    "HOLE",
    "NAMED",
    "ROUND",
    "Budget",
    "Calibrator",
    "Guarantee",
    "Knee",
    "Replay",
    "Retain",
    "Rule",
    "Space",
    "Stopper",
    "StopruleError",
    "Trajectories",
    "Utility",
    "at_least",
    "change",
    "clip",
    "cut_curve",
    "cut_plane",
    "evaluate",
    "exact_match",
    "explain",
    "f1",
    "fixed",
    "from_json",
    "front",
    "hypervolume",
    "knee",
    "missing",
    "normalise",
    "parse",
    "plot_band",
    "plot_cells",
    "plot_distributions",
    "plot_final",
    "plot_frontier",
    "plot_plane",
    "plot_question",
    "plot_reliability",
    "plot_separation",
    "plot_shrinkage",
    "plot_simplicity",
    "plot_stops",
    "plot_threshold",
    "plot_transfer",
    "read_trajectories",
    "repeat",
    "replay",
    "rule_differences",
    "save_figure",
    "search",
    "select",
    "signal",
    "signal_profiles",
    "so_far_max",
    "so_far_min",
    "space",
    "streak",
    "tasr",
    "to_json",
    "total",
]
