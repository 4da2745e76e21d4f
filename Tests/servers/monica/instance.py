"""One server: its settings, its account, and how it takes a request."""

import dataclasses
import re
import threading
import time

from . import api, seed
from .faults import Faults, RequestLog, instead, of_status
from .limiter import Limiter
from .store import Clock

# The modules of routes, which register themselves.
from . import account, activities, calls, contacts, conversations, gifts, notes, photos  # noqa: F401  isort: skip
from . import reach, relationships, reminders, tags  # noqa: F401  isort: skip


@dataclasses.dataclass
class Settings:
    """What the command line and the control interface may set."""

    token: str = "secret"
    contacts: int = 0
    rate_limit: int = 60  # requests in a window; 0 is no limit
    rate_window: float = 60  # seconds
    max_limit: int = 100
    default_limit: int = 15
    base_url: str = ""
    queue: str = "sync"  # "async": contacts are deleted when the queue runs
    pre412: bool = False  # a search gives what it finds new uuids, as before version 4.1.2
    latency_ms: int = 0
    delays: dict = dataclasses.field(default_factory=dict)  # "METHOD /path" as a pattern: milliseconds before it is carried out


class Instance:
    """A request at a time works on the account; faults and latency hold nobody else up."""

    def __init__(self, settings):
        self.settings = settings
        self.lock = threading.RLock()
        self.clock = Clock()
        self.limiter = Limiter(settings)
        self.faults = Faults()
        self.log = RequestLog()
        self.reset()

    def reset(self):
        """Back to the account as it was at the start; the settings stay."""
        self.limiter = Limiter(self.settings)
        self.faults.clear()
        self.log.entries.clear()
        self.clock.ahead = 0
        self.store = seed.account(self.clock, self.settings.contacts)

    def delay(self, request):
        """The milliseconds of the first route that matches: some take longer than others."""
        asked = f"{request.method} {request.path}"
        return next((wait for pattern, wait in self.settings.delays.items() if re.fullmatch(pattern, asked)), 0)

    def serve(self, request, connection):
        """Answers a request of the API over a connection, or does what a fault says."""
        with self.lock:
            entry = self.log.add(request)
            fault = dict(self.faults.take(request))
        if fault:
            entry["fault"] = {name: value for name, value in fault.items() if name not in ("match", "times")}
        time.sleep((fault.get("delay_ms", 0) + self.settings.latency_ms + self.delay(request)) / 1000)
        if fault.get("drop"):
            entry["status"] = "dropped"
            return connection.drop()
        answer = instead(fault, request)
        if answer:
            entry["status"] = answer.status
            return connection.send(answer)
        with self.lock:
            answer = api.answer(request)
        if fault.get("status_after"):
            answer = of_status(fault, int(fault["status_after"]), request)
        entry["status"] = answer.status
        if fault.get("drop_after"):
            entry["status"] = f"{answer.status} then dropped"
            return connection.drop()
        if fault.get("truncate"):
            entry["status"] = f"{answer.status} truncated"
            return connection.send_half(answer)
        if fault.get("bad_json"):
            answer.body = answer.body[: len(answer.body) // 2]
        return connection.send(answer)
