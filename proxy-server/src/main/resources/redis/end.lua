-- Ends the acquisition of a request. Idempotent, except for overruns.
-- KEYS    1 slots of the API key or '', 2.. members of the epochs in which the request may be counted: the
--         node's present one, and earlier ones if it was not restated yet, then buckets
-- ARGV    1 request, 2 number of epochs, 3.. the epochs, then of each bucket the amount to return (below 0:
--         an overrun), capacity, period
-- Returns whether the request was a member
local slots, epochs = KEYS[1], tonumber(ARGV[2])
local was = 0
for i = 1, epochs do
  if redis.call('HDEL', KEYS[1 + i], ARGV[1]) == 1 then
    was = 1
    local epoch = ARGV[2 + i]
    if slots ~= '' and redis.call('HINCRBY', slots, epoch, -1) < 1 then
      redis.call('HDEL', slots, epoch)
    end
  end
end
for i = epochs + 2, #KEYS do
  local a = epochs + 3 + (i - epochs - 2) * 3
  local back = tonumber(ARGV[a])
  if back < 0 or was == 1 then
    local b = bucket(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
    b.level = math.min(b.level + back * b.one, b.capacity * b.one)
    store(b)
  end
end
return was
