"""A double of the Monica v4 REST API: what a client of contacts sees of version 4.1.2, in memory.

A request goes server -> api (route, token, limit, input) -> a module of routes (people, calls, ...) -> store and resources.
Faults and everything else that a test does behind the client's back come in through control.
"""
