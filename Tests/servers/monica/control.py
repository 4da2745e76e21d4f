"""/__sim/: what a test does behind the client's back."""

import dataclasses
import json

from .answers import Answer, InvalidUncaught, Uncaught
from .contact_resources import stamp
from .contacts import delete
from .mutations import mutate

ROUTES = {}


def route(methods, path):
    def register(function):
        for method in methods.split():
            ROUTES[method, path] = function
        return function

    return register


def answer(request):
    """The JSON that a control request is answered with; 404 for what there is not."""
    _, _, path = request.path.partition("/__sim/")
    name, _, rest = path.rstrip("/").partition("/")
    function = ROUTES.get((request.method, name))
    if function is None:
        return report({"error": f"no {request.method} {request.path}"}, 404)
    with request.instance.lock:
        try:
            body = json.loads(request.body) if request.body else None
            return report(function(request, body, *([rest] if rest else [])))
        except (ValueError, KeyError, TypeError, AttributeError) as defect:
            return report({"error": repr(defect)}, 400)


def report(found, status=200):
    return Answer(status, json.dumps(found, indent=1, default=str))


@route("GET POST DELETE", "faults")
def faults(request, body):
    queue = request.instance.faults
    if request.method == "DELETE":
        queue.clear()
    elif request.method == "POST":
        queue.add(body)
    return queue.waiting


@route("GET DELETE", "requests")
def requests(request, body):
    log = request.instance.log
    if request.method == "DELETE":
        log.entries.clear()
    return log.report(int(request.query.get("since", 0)), request.query.get("path"))


@route("POST", "mutate")
def change(request, body):
    return [mutate(request.instance, each) for each in body] if isinstance(body, list) else mutate(request.instance, body)


@route("GET", "state")
def state(request, body):
    instance, store = request.instance, request.store
    return {
        "rows": {name: len(table) for name, table in store.tables.items()},
        "clock": stamp(instance.clock.now()),
        "live_contacts": sum(contact["deleted_at"] is None for contact in store["contacts"]),
        "config": dataclasses.asdict(instance.settings),
        "pending_deletes": store.waiting,
    }


@route("GET", "dump")
def dump(request, body, table):
    return list(request.store[table])


@route("POST", "config")
def config(request, body):
    """Changes settings, and begins a new window of the limit."""
    instance = request.instance
    for name, value in body.items():
        if hasattr(instance.settings, name):
            setattr(instance.settings, name, value)
    instance.limiter.windows.clear()
    return dataclasses.asdict(instance.settings)


@route("POST", "run_queue")
def run_queue(request, body):
    """Deletes the contacts whose deletion waits; reports those that could not be."""
    waiting, request.store.waiting = request.store.waiting, []
    done = []
    for identifier in waiting:
        try:
            delete(request.store, identifier)
            done.append(identifier)
        except (Uncaught, InvalidUncaught) as failure:
            done.append({"id": identifier, "failed": failure.answer(request).status})
    return done


@route("POST", "reset")
def reset(request, body):
    request.instance.reset()
    return {"ok": True}
