-- Ends what a request took: once, however often it is called.
-- KEYS  1 members of the node's epoch, 2 slots of the API key or '', 3 members of the epoch before, where
--       the request still is if it was not stated anew so far, 4.. buckets
-- ARGV  1 request, 2 epoch, 3 the epoch before, 4.. what to give back (below 0: an overrun), capacity,
--       period of each
-- Gives whether the request was a member
local epoch = ARGV[2]
local was = redis.call('HDEL', KEYS[1], ARGV[1])
if was == 0 then
  epoch = ARGV[3]
  was = redis.call('HDEL', KEYS[3], ARGV[1])
end
if was == 1 and KEYS[2] ~= '' and redis.call('HINCRBY', KEYS[2], epoch, -1) < 1 then
  redis.call('HDEL', KEYS[2], epoch)
end
for i = 4, #KEYS do
  local a = 4 + (i - 4) * 3
  local back = tonumber(ARGV[a])
  if back < 0 or was == 1 then
    local b = bucket(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
    b.level = math.min(b.level + back * b.one, b.capacity * b.one)
    store(b)
  end
end
return was
