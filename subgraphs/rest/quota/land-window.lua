-- A call has been answered: its spend counts from now on, and its headers are believed.
-- KEYS: spends · open · flying · account
-- ARGV: id · ms a spend counts · ms for which the service refuses · limit, or '' · remaining · ms until the headers' window ends · ms in which ends are the same window's · limit where none is documented or told, or '' · ms after which all is forgotten
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id = ARGV[1]
-- Removing comes first: a server whose memory is full refuses a script only as long as it has written nothing.
redis.call('ZREM', KEYS[2], id)
redis.call('ZREM', KEYS[3], id)
redis.call('ZADD', KEYS[1], now + ARGV[2], id)

local account = KEYS[4]
if tonumber(ARGV[3]) > 0 then
  local blocked = tonumber(redis.call('HGET', account, 'blocked') or 0)
  redis.call('HSET', account, 'blocked', math.max(blocked, now + ARGV[3]))
end
if ARGV[4] == '' then
  if ARGV[8] ~= '' then redis.call('HSETNX', account, 'limit', ARGV[8]) end
else
  local remaining, ends = tonumber(ARGV[5]), now + ARGV[6]
  local known = tonumber(redis.call('HGET', account, 'ends') or 0)
  -- The lowest remaining of the running window counts, and its earliest end: answers overtake each other.
  if known > now and ends <= known + ARGV[7] then
    remaining = math.min(remaining, tonumber(redis.call('HGET', account, 'remaining')))
    ends = math.min(ends, known)
  end
  redis.call('HSET', account, 'limit', math.max(1, tonumber(ARGV[4])), 'remaining', remaining, 'ends', ends)
end
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[9]) end
return 1
