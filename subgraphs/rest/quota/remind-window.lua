-- A replica tells what it remembers of an account: its own spends are right, the others fill what is missing.
-- KEYS: spends · open · flying · account
-- ARGV: epoch for a new account · ms after which all is forgotten · limit, or '' · remaining, or '' · ms until the headers' window ends · ms for which the service refuses · then for each spend: id · ms that it counts · ms that it flies · 1 if it has landed · 1 if it is the replica's own
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Removing comes first: a server whose memory is full refuses a script only as long as it has written nothing.
for i = 1, 2 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
local account = KEYS[4]
redis.call('HSETNX', account, 'epoch', ARGV[1])
if ARGV[3] ~= '' then redis.call('HSETNX', account, 'limit', ARGV[3]) end
if ARGV[4] ~= '' and tonumber(redis.call('HGET', account, 'ends') or 0) <= now then
  redis.call('HSET', account, 'remaining', ARGV[4], 'ends', now + ARGV[5])
end
local blocked = tonumber(redis.call('HGET', account, 'blocked') or 0)
redis.call('HSET', account, 'blocked', math.max(blocked, now + ARGV[6]))

for i = 7, #ARGV, 5 do
  local id, own = ARGV[i], ARGV[i + 4] == '1'
  if own or not redis.call('ZSCORE', KEYS[1], id) then
    redis.call('ZADD', KEYS[1], now + ARGV[i + 1], id)
    if ARGV[i + 3] == '1' then
      redis.call('ZREM', KEYS[2], id)
      redis.call('ZREM', KEYS[3], id)
    else
      redis.call('ZADD', KEYS[2], now + ARGV[i + 1], id)
      if tonumber(ARGV[i + 2]) > 0 then
        redis.call('ZADD', KEYS[3], now + ARGV[i + 2], id)
      else
        -- An answer that came too late may have let it fly here; it is still waiting.
        redis.call('ZREM', KEYS[3], id)
      end
    end
  end
end
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
return 1
