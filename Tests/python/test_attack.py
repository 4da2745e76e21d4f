"""The trial of attacker.py, short and with one seed: a peer that was let in as a viewer tries to end, starve or fill the hub."""
import pytest

from attacker import Trial
from conftest import size


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_viewer_neither_ends_nor_starves_nor_fills_the_hub(record_property):
    # How long a good client waits, and how much piles up meanwhile, depends on who else has the processors. attacker.py itself is
    # strict; here it is enough that each command is answered, which takes a fault beyond 20 s, and that memory has a bound.
    trial = Trial(size(20, 600), seed=7, wait=20, growth=128).run()
    record_property("longest_wait_seconds", round(trial.longest, 3))
    record_property("memory_growth_mib", round(trial.peak))
    print(f"{len(trial.waits)} answers, the longest after {trial.longest:.3f} s; memory grew by {trial.peak:.0f} MiB")
    assert not trial.faults, "\n".join(trial.faults)
    assert len(trial.waits) > 20 and len(trial.rounds) > 5
