-- Moves running requests from an old epoch to a new one, each once: atomically, or other nodes would count
-- them twice.
-- KEYS    1 members of the new epoch, 2 members of the old epoch, 3.. of each request slots of its API key
--         or ''
-- ARGV    1 new epoch, 2 lease in ms, 3 lifetime of slots in ms, 4 old epoch, 5.. requests
-- Returns the number of requests
for i = 3, #KEYS do
  local request, slots = ARGV[i + 2], KEYS[i]
  if redis.call('HSETNX', KEYS[1], request, 1) == 1 and slots ~= '' then
    redis.call('HINCRBY', slots, ARGV[1], 1)
    redis.call('PEXPIRE', slots, ARGV[3])
  end
  if redis.call('HDEL', KEYS[2], request) == 1 and slots ~= '' and redis.call('HINCRBY', slots, ARGV[4], -1) < 1 then
    redis.call('HDEL', slots, ARGV[4])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return #KEYS - 2
