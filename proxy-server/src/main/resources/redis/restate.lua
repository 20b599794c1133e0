-- Counts requests that run already among a new epoch's, each once, and no longer among an old one's:
-- in one step, or others would see them twice.
-- KEYS  1 members of the new epoch, 2 members of the old epoch, 3.. slots of the API key or '' of each
--       request
-- ARGV  1 epoch, 2 lease in ms, 3 how long slots are kept in ms, 4 the old epoch, 5.. requests
-- Gives how many
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
