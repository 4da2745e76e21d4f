"""The key of the server: what became of a change is remembered with its answer."""
import signal

from keyed import tcp_hub


def test_a_rotation_that_is_sent_again_makes_no_other_key():
    with tcp_hub() as hub:
        old = hub.server_key
        ask = lambda: hub.ask("Keys/RotateServer", {"overlap": "0s"}, key="rotate")
        _, first, _ = ask()
        assert first["publicKeyZ85"] == hub.server_key != old
        header, again, _ = ask()
        assert header["replayed"] and again == first
        hub.restart(signal.SIGKILL)
        assert ask()[1] == first and hub.server_key == first["publicKeyZ85"]
