-- Says that a node lives. It writes, so that a Redis that would refuse a request refuses this too.
-- KEYS  1 members of the node's epoch, 2 the node
-- ARGV  1 lease in ms
-- Gives whether the node lived all the while and has members: these alone could have come anew, with
-- a request, behind others that were forgotten
local lived = redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
return math.min(lived, redis.call('PEXPIRE', KEYS[1], ARGV[1]))
