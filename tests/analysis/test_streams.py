"""Named random streams."""

import numpy as np
import pytest
from stoprule.analysis.streams import stream
from stoprule.trajectories.errors import StudyError


class TestStream:
    def test_seed_and_name_decide(self):
        """Give the same draws for the same seed and name, others for any other."""
        draws = {key: tuple(stream(*key).integers(0, 2**32, 4)) for key in [(7, "a"), (7, "b"), (8, "a")]}
        assert draws[7, "a"] == tuple(stream(7, "a").integers(0, 2**32, 4))
        assert len(set(draws.values())) == 3

    def test_draws_stay_what_they_are(self):
        """Hold the first draw for good: a lock that was made last year has to be made again."""
        assert stream(42, "sign flips").integers(0, 2**32) == 4103860371

    def test_the_global_generator_is_untouched(self):
        """Leave numpy's global state as it was (case 21)."""
        before = np.random.get_state()[1].tobytes()  # noqa: NPY002
        stream(1, "any").random(10)
        assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002

    @pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
    def test_a_seed_is_a_whole_number(self, seed):
        """Refuse what is no whole number of at least 0."""
        with pytest.raises(StudyError, match="seed must be a whole number of at least 0"):
            stream(seed, "any")
