-- Takes everything that a request acquires, or nothing.
-- KEYS    1 members of the node's epoch, 2 slots of the API key or '', 3.. buckets
-- ARGV    1 request, or '' for a probe that is never ended, 2 epoch, 3 lease in ms, 4 lifetime of slots in ms,
--         5 most slots, 6.. of each bucket amount, capacity, period
-- Returns 1 what refused first: 0 nothing, else the number of the bucket, or one more for the slot,
--         2 whether a slot was free, 3.. of each bucket remaining, wait
local members, slots = KEYS[1], KEYS[2]
local request, epoch = ARGV[1], ARGV[2]
local refused = 0

local buckets = {}
for i = 3, #KEYS do
  local a = 6 + (i - 3) * 3
  local b = bucket(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
  resize(b, tonumber(ARGV[a + 1]))
  b.wanted = ARGV[a] * b.one
  if b.wanted > 0 and b.wanted > b.level and refused == 0 then
    refused = i - 2
  end
  buckets[#buckets + 1] = b
end

-- Members of a node without heartbeats have expired, so its slots are free.
local free = 1
if slots ~= '' then
  local prefix = string.sub(members, 1, #members - #epoch)
  local counts = redis.call('HGETALL', slots)
  local busy = 0
  for i = 1, #counts, 2 do
    if redis.call('EXISTS', prefix .. counts[i]) == 1 then
      busy = busy + counts[i + 1]
    else
      redis.call('HDEL', slots, counts[i])
    end
  end
  if busy >= tonumber(ARGV[5]) then
    free = 0
    if refused == 0 then
      refused = #buckets + 1
    end
  end
end

if refused == 0 and request ~= '' then
  redis.call('HSET', members, request, 1)
  redis.call('PEXPIRE', members, ARGV[3])
  if slots ~= '' then
    redis.call('HINCRBY', slots, epoch, 1)
    redis.call('PEXPIRE', slots, ARGV[4])
  end
end

local answer = {refused, free}
for _, b in ipairs(buckets) do
  if refused == 0 and b.wanted > 0 then
    b.level = b.level - b.wanted
    b.changed = true
  end
  if b.changed then
    store(b)
  end
  answer[#answer + 1] = math.floor(b.level / b.one)
  answer[#answer + 1] = wait(b, b.wanted)
end
return answer
