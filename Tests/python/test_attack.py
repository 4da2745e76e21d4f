"""The trial of attacker.py, short and with one seed: a peer that was let in as a viewer tries to end, starve or fill the hub."""
import pytest

from attacker import Trial
from conftest import size
from keyed import Key


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


class LockedOut(Trial):
    """Its attacker has a key that nobody approved."""

    def keys(self, hub):
        return [Key()]


@pytest.mark.parametrize("trial, fault", [
    (Trial(0, seed=1), "there was no round"),
    (Trial(1, seed=1, names=["an_attack_that_does_not_exist"]), "an_attack_that_does_not_exist itself failed"),
    (LockedOut(1, seed=1, over=["tcp"], names=["garbage"]), "garbage sent nothing")], ids=["no round", "broken", "locked out"])
def test_a_trial_without_an_attack_is_a_fault(trial, fault):
    trial.wait, trial.growth = 20, 128
    trial.run()
    assert trial.faults and all(fault in each or each.endswith("sent nothing") for each in trial.faults), trial.faults
