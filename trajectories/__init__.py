"""What was recorded: tables of trajectories, answers, splits, calibration."""
