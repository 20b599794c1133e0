-- Ends what a request took: once, however often it is called.
-- KEYS  1 members of the node's epoch, 2 slots of the API key or '', 3.. buckets
-- ARGV  1 request, 2 epoch, 3.. what to give back (below 0: an overrun), capacity, period of each
-- Gives whether the request was a member
local was = redis.call('HDEL', KEYS[1], ARGV[1])
if was == 1 and KEYS[2] ~= '' and redis.call('HINCRBY', KEYS[2], ARGV[2], -1) < 1 then
  redis.call('HDEL', KEYS[2], ARGV[2])
end
for i = 3, #KEYS do
  local a = 3 + (i - 3) * 3
  local back = tonumber(ARGV[a])
  if back < 0 or was == 1 then
    local b = bucket(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
    b.level = math.min(b.level + back * b.one, b.capacity * b.one)
    store(b)
  end
end
return was
