-- For wrk: posts a method of Kith, and prints what it measured as a line of JSON.
--
-- wrk … -s web_load.lua URL -- TOKENS METHOD BODY
--
-- TOKENS is a file with one token a line. They take turns, because a device may have eight requests at once.
local requests, turn, threads = {}, 0, {}

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  refused = 0
  for token in io.lines(arguments[1]) do
    local fields = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
    table.insert(requests, wrk.format("POST", "/kith.v1." .. arguments[2], fields, arguments[3]))
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status)
  if status ~= 200 then refused = refused + 1 end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get("refused") end
  io.write(string.format('{"per_second":%.1f,"p50_us":%.1f,"p99_us":%.1f,"failed":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99), failed))
end
