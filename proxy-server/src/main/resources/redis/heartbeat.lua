-- Heartbeat of a node: renews its lease. It writes, so that a Redis which refuses acquisitions fails it too.
-- KEYS    1 members of the node's epoch, 2 the node's lease, 3 since when all nodes' slots are counted
-- ARGV    1 lease in ms, 2 longest gap between heartbeats of all nodes that costs none of them its lease, in ms
-- Returns 1 whether the lease had not expired and the epoch has members: if only the lease had expired,
--           the members may be new ones, after others were lost,
--         2 since when slots are counted without such a gap, and without a loss of this memory, in ms of this clock,
--         3 the ms since then
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = math.min(now, tonumber(redis.call('GET', KEYS[3]) or now)) -- the clock may go back
redis.call('SET', KEYS[3], string.format('%.0f', since), 'PX', ARGV[2])
local expired = redis.call('EXISTS', KEYS[2]) == 0
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
local members = redis.call('PEXPIRE', KEYS[1], ARGV[1])
return {expired and 0 or members, since, now - since}
