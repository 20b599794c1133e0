-- Token buckets: functions that are prepended to every script that uses buckets.
--
-- All numbers are exact integers: a request or token is as many units as its period has microseconds, so
-- that each microsecond refills `capacity` units. Lua has doubles only; capacities are bounded so that a
-- full bucket is below 2^53 units.
-- A bucket that is not stored is full. The stored value is "level time capacity", in units, microseconds
-- and tokens.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Returns the microseconds until a bucket holds `units`: 0 if it does, or never will.
local function wait(b, units)
  if units == 0 or units > b.capacity * b.one then
    return 0
  end
  return math.max(0, math.ceil((units - b.level) / b.capacity))
end

-- Stores a bucket; the key expires when the bucket is full again.
local function store(b)
  local millis = math.ceil(wait(b, b.capacity * b.one) / 1000) + 1000
  local text = string.format('%.0f %.0f %.0f', b.level, now, b.capacity)
  redis.call('SET', b.key, text, 'PX', string.format('%.0f', millis))
end

-- Returns a bucket, refilled until now, with its stored capacity.
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
    -- The clock went back, for example at a failover: refill from now on. Stored even if nothing is
    -- taken, or an empty bucket would stay empty until the clock has caught up.
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

-- Applies a changed capacity: the level stays, up to the new capacity. The change is stored even if
-- nothing is taken, or the old refill rate would apply while requests are refused.
local function resize(b, capacity)
  b.changed = b.capacity ~= capacity
  b.capacity = capacity
  b.level = math.min(b.level, capacity * b.one)
end
