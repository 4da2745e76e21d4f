"""Random histories of a household and its Monica: whatever goes wrong, both sides are equal in the end."""
import functools

import pytest

from conftest import histories, seed, tally
from monica_history import Kill, live
from monica_home import CONFIGURATION, home
from servers import DOUBLE, SIMULATOR, SIMULATOR_PROGRAM, Monica

# Of the simulator fewer, unless a number is asked for.
NUMBERS = {DOUBLE: histories(20, 200), SIMULATOR: histories(6, 40)}
# What others name is made last of what is under way.
SLOW = {"POST /api/tags": 200, "POST /api/contactfieldtypes": 200}
# So many share a daemon and a server, so that lists stay short.
SHARE = 20


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("program", [DOUBLE, SIMULATOR])
def test_both_sides_end_equal(program):
    if program == SIMULATOR and not SIMULATOR_PROGRAM.exists():
        pytest.skip(f"{SIMULATOR_PROGRAM} is absent: set KITH_MONICA_SIM")
    seeds = range(seed(0), seed(0) + NUMBERS[program])
    happened = []
    server = Monica(program, rate_limit=0, contacts=0)
    try:
        server.start()
        if program == DOUBLE:
            server.config(delays=SLOW)
        for first in seeds[::SHARE]:
            server.reset()
            # What a kill leaves the server at takes as long as its slowest request: no time, or less than a second of the double.
            limit = 1 if program == DOUBLE else 0
            with home(server, configuration=CONFIGURATION + f"time_limit_seconds = {limit}\n") as household:
                lived = [live(household, number) for number in seeds if first <= number < first + SHARE]
                rows = functools.cache(server.dump)
                for history in lived:
                    history.check(rows)
                assert household.hub.end() == 0
            happened += [history.fault for history in lived]
    finally:
        server.remove()
    kills = {fault.point for fault in happened if isinstance(fault, Kill)}
    others = {name for fault in happened if not isinstance(fault, Kill) for name in fault.what}
    if len(seeds) >= 100:
        assert len(kills) == 5 and others >= {
            "drop", "drop_after", "status", "status_after", "truncate", "bad_json", "html", "redirect"}
    tally(histories=len(happened), faults=sum(fault is not None for fault in happened))
    print(f"{program}: {len(happened)} histories, {sum(isinstance(fault, Kill) for fault in happened)} of them with a kill")
