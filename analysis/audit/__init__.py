"""The leakage audit: named checks of how a rule was chosen and reported."""
