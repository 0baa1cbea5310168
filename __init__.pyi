from .trajectories.table import Trajectories as Trajectories

__all__ = [
    "Trajectories",
]
