-- Token buckets. Comes before every script that touches one.
--
-- All numbers are whole and exact: a request or token is as many units as its period has
-- microseconds, so that each microsecond brings the capacity, in units. Lua has doubles and no
-- integers; capacities are bounded so that a full bucket is below 2^53.
-- A bucket that is not stored is full. Stored is "level at capacity": units, microseconds, tokens.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function wait(b, units)
  if units == 0 or units > b.capacity * b.one then
    return 0
  end
  return math.max(0, math.ceil((units - b.level) / b.capacity))
end

-- It goes when it is full again: then nothing is known of it that need be.
local function store(b)
  local millis = math.ceil(wait(b, b.capacity * b.one) / 1000) + 1000
  local text = string.format('%.0f %.0f %.0f', b.level, now, b.capacity)
  redis.call('SET', b.key, text, 'PX', string.format('%.0f', millis))
end

-- What has flowed in until now is in its level; the capacity is the one that it has had so far.
local function bucket(key, capacity, period)
  local stored = redis.call('GET', key)
  if not stored then
    return {key = key, one = period, capacity = capacity, level = capacity * period}
  end
  local level, at, running = string.match(stored, '^(%S+) (%S+) (%S+)$')
  local b = {key = key, one = period, capacity = tonumber(running), level = tonumber(level)}
  local full = b.capacity * b.one
  local micros = now - tonumber(at)
  if micros < 0 then
    -- The clock went back, as after a failover: from now on it flows again, also where nothing is
    -- taken, or an empty bucket would stay empty until the clock is where it was.
    store(b)
    return b
  end
  if micros < (full - b.level) / b.capacity then
    b.level = b.level + micros * b.capacity
  else
    b.level = full
  end
  return b
end

-- Another capacity acts at once: it holds what it held, as far as there is room for it. That is kept
-- also where nothing is taken, or who is refused would wait while the old one goes on.
local function resize(b, capacity)
  b.changed = b.capacity ~= capacity
  b.capacity = capacity
  b.level = math.min(b.level, capacity * b.one)
end
