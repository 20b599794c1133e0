-- Heartbeat of a node: renews its lease. It writes, so that a Redis which refuses acquisitions fails it too.
-- KEYS    1 members of the node's epoch, 2 the node's lease
-- ARGV    1 lease in ms
-- Returns 1 whether the lease had not expired and the epoch has members: if only the lease had expired,
--           the members may be new ones, after others were lost,
--         2 the remaining lease in ms; below 0 if it had expired
local left = redis.call('PTTL', KEYS[2])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
local members = redis.call('PEXPIRE', KEYS[1], ARGV[1])
return {left < 0 and 0 or members, left}
