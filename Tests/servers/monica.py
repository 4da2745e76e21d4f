#!/usr/bin/env python3
"""A double of a Monica v4 server for tests: monica.py [--port PORT] [--token TOKEN] [--contacts N] [--rate-limit N] ...

Prints "ready PORT" when it accepts connections, and ends with its standard input. The API is under /api, for the token
"secret" unless another one is given. What a test orders behind the client's back is under /__sim, without a token:

  POST faults      {"next": [FAULT...], "always": [FAULT...]}; GET shows what waits, DELETE clears it. A FAULT may have
                   "match": {"method": ..., "path": PATTERN}, "times": N (of "next"), "delay_ms": N, and one of
                   "status": N (with "retry_after", "message"), "drop", "html", "redirect": the request is not carried out;
                   "status_after": N, "drop_after", "truncate", "bad_json": it is, and its answer is spoiled
  GET requests     what was asked: ?since=N&path=PATTERN; DELETE forgets it
  POST mutate      one operation or a list: {"op": "update", "table": T, "id": N, "set": {...}, "touch": BOOL},
                   {"op": "create", "table": T, "values": {...}}, {"op": "delete" | "purge", "table": T, "id": N},
                   {"op": "archive" | "unarchive", "id": N}, {"op": "advance_clock", "seconds": N}
  GET state        counts of rows, clock, settings; GET dump/TABLE: the rows
  POST config      settings: token, rate_limit, rate_window, max_limit, default_limit, base_url, queue ("async": deletions of
                   contacts wait for POST run_queue), pre412, latency_ms, contacts (from the next reset on)
  POST reset       back to the start
"""

from monica.server import main

if __name__ == "__main__":
    main(__doc__)
