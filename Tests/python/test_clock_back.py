"""What is stored while the clock of the machine is wrong: set right, it lets nothing wait longer than it would have, and lets
nothing be deleted earlier."""
import pathlib

import pytest

import workers
from channels import add, deliveries, settled, share
from monica_home import Home
from servers import free_port
from trials import Daemon, add_folder, contacts, make_folder, sync

LIBRARIES = sorted(pathlib.Path("/usr/lib").glob("*-linux-gnu/faketime/libfaketime.so.1"))
needs_faketime = pytest.mark.skipif(not LIBRARIES, reason="the package faketime of Debian is not installed")
QUIET = "[contacts]\nsync_at_start = false\n[monica]\nsync_at_start = false\nsync_every_minutes = 0\n"


def start_ahead(hub, by):
    """Starts a hub whose clock on the wall is so far ahead; it waits by one that is right."""
    # Under the library a Swift program does not see its arguments.
    places = {"KITH_STATE_DIR": hub.directory / "state", "KITH_RUNTIME_DIR": hub.runtime,
              "KITH_CONFIG": hub.directory / "config.toml"}
    hub.start(LD_PRELOAD=str(LIBRARIES[-1]), FAKETIME=by, FAKETIME_DONT_FAKE_MONOTONIC="1",
              **{name: str(place) for name, place in places.items()})


@needs_faketime
@pytest.mark.parametrize("by", ["+9h", "+400d"])
def test_a_message_that_failed_under_a_clock_that_was_ahead_goes_again(services, by):
    hub = Daemon(configuration=QUIET)
    try:
        start_ahead(hub, by)
        add(hub, "phone", "ntfy", address=services.url, topic="care")
        services.answer({"status": 503})
        identity = share(hub, "phone")[0]["id"]
        workers.until(lambda: services.seen and deliveries(hub)[0]["state"] == "pending")
        assert hub.end() == 0
        hub.start()
        entry = settled(hub, identity)
        assert entry["state"] == "delivered" and services.accepted == [identity], entry
    finally:
        hub.remove()


@needs_faketime
def test_a_recording_that_waited_under_a_clock_that_was_ahead_is_transcribed():
    home = workers.Home()
    configuration = home.directory / "config.toml"
    try:
        # Nobody listens there, for which it is looked again in a minute.
        configuration.write_text(
            f'{QUIET}[transcription.wyoming]\nlanguages = ["en"]\nhost = "127.0.0.1"\nport = {free_port()}\n')
        start_ahead(home, "+9h")
        identity = home.speak()
        workers.until(lambda: home.entry(identity).get("nextAttemptAt"))
        assert home.end() == 0
        configuration.write_text(QUIET + (home.directory / "worker.toml").read_text())
        home.start()
        home.settled(identity)
        assert workers.transcribed(home, identity)
    finally:
        home.remove()


@needs_faketime
def test_a_change_that_failed_under_a_clock_that_was_ahead_goes_again(monica):
    hub = Daemon(configuration=QUIET)
    try:
        start_ahead(hub, "+9h")
        household = Home(hub, monica)
        household.login()
        household.settle()
        monica.faults(always=[{"status": 500}])
        household.person("Ann")
        workers.until(lambda: household.queue()[0].get("error"))
        assert hub.end() == 0
        monica.clear_faults()
        hub.start()
        workers.until(lambda: not household.queue())
    finally:
        hub.remove()


@needs_faketime
def test_contacts_are_not_deleted_when_a_clock_from_the_past_is_set_right(tmp_path):
    """As on a machine without a clock chip, which starts where it was stopped weeks ago until it hears from a time server."""
    hub = Daemon(configuration=QUIET)
    try:
        start_ahead(hub, "-40d")
        made = sorted(make_folder(tmp_path / "cards", 40))
        add_folder(hub, "home", tmp_path / "cards")
        assert sync(hub, "home")["live"] == 40
        for name in made[:3]:
            (tmp_path / "cards" / name).unlink()
        assert sync(hub, "home")["live"] == 37
        for name in made[3:18]:
            (tmp_path / "cards" / name).unlink()
        assert sync(hub, "home")["heldBack"] == 15
        assert hub.end() == 0
        hub.start()
        for _ in range(4):
            status = sync(hub, "home")
            assert (status["heldBack"], status["live"], status["holdReason"]) == (15, 37, "TOO_MANY"), status
            assert len(contacts(hub, "home", includeDeleted=True)) == 40
    finally:
        hub.remove()
