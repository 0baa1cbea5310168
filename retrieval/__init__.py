"""Where trajectories come from: the bounded controller, its searches, and their recorders."""
