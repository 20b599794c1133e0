-- Counts requests that run already among a new epoch's, each once.
-- KEYS  1 members of the new epoch, 2.. slots of the API key or '' of each request
-- ARGV  1 epoch, 2 lease in ms, 3 how long slots are kept in ms, 4.. requests
-- Gives how many
for i = 2, #KEYS do
  if redis.call('HSETNX', KEYS[1], ARGV[i + 2], 1) == 1 and KEYS[i] ~= '' then
    redis.call('HINCRBY', KEYS[i], ARGV[1], 1)
    redis.call('PEXPIRE', KEYS[i], ARGV[3])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return #KEYS - 1
