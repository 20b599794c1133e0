-- Says that a node lives. It writes, so that a Redis that would refuse a request refuses this too.
-- KEYS  1 members of the node's epoch, 2 the node
-- ARGV  1 lease in ms
-- Gives 1 whether the node lived all the while and has members: these alone could have come anew, with
--         a request, behind others that were forgotten,
--       2 how long it would have lived on, in ms; below 0 if it did not
local left = redis.call('PTTL', KEYS[2])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
local members = redis.call('PEXPIRE', KEYS[1], ARGV[1])
return {left < 0 and 0 or members, left}
