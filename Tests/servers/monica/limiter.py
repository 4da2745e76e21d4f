"""Monica's rate limit."""

import time


class Limiter:
    """So many requests in a window, which begins with its first request and does not slide."""

    def __init__(self, settings):
        self.settings = settings
        self.windows = {}  # for each user or address: when the window ends, and how many requests it had

    def admit(self, who):
        """(whether the request may go on, the fields that its answer carries)"""
        limit, now = self.settings.rate_limit, time.time()
        if limit <= 0:
            return True, {}
        end, count = self.windows.get(who, (0, 0))
        if now >= end:
            end, count = now + self.settings.rate_window, 0
        if count >= limit:
            wait = max(0, int(end) - int(now))
            return False, rate_fields(limit, 0, wait, int(now) + wait)
        self.windows[who] = end, count + 1
        return True, rate_fields(limit, limit - count - 1)


def rate_fields(limit, remaining, wait=None, reset=None):
    fields = {"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": remaining}
    return fields if wait is None else {**fields, "Retry-After": wait, "X-RateLimit-Reset": reset}
