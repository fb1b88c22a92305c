-- Reserves what is free for new ids and lets as many fly as may be in flight at once: window-account.ts, for all replicas.
-- KEYS: spends (id by the time until which it counts) · open (those that have not landed) · flying (those sent, by the end of their lease) · account
-- ARGV: epoch as last seen, or '' · epoch for a new account · documented limit, or '' · ms a spend counts · ms of a lease · share that stays free · ms after which all is forgotten · ids
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counts, lease = tonumber(ARGV[4]), tonumber(ARGV[5])
-- Removing comes first: a server whose memory is full refuses a script only as long as it has written nothing. What was
-- sent and never heard of again stays sent.
for i = 1, 2 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - counts)

local account = {}
local fields = redis.call('HGETALL', KEYS[4])
for i = 1, #fields, 2 do account[fields[i]] = fields[i + 1] end
if ARGV[1] ~= '' and account.epoch ~= ARGV[1] then return { 'lost' } end
if not account.epoch then
  account.epoch = ARGV[2]
  redis.call('HSET', KEYS[4], 'epoch', ARGV[2])
end

local limit = tonumber(account.limit or ARGV[3])
local most = limit or 1
local kept = math.ceil(most * tonumber(ARGV[6]))
local ends, blocked = tonumber(account.ends or 0), tonumber(account.blocked or 0)
local told = ends > now
local remaining = told and tonumber(account.remaining) or math.huge

-- Those that have a spend come first.
local held = 0
for i = 8, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then break end
  held = held + 1
  -- Whoever asks for it is not sending it: an answer that came too late let it fly.
  redis.call('ZREM', KEYS[3], ARGV[i])
end
local spent, open, sent = redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[3])
local flights = redis.call('ZCOUNT', KEYS[3], '(' .. now, '+inf')

-- hand-out.ts
local function within(wanted, limit_) return math.max(0, math.min(wanted, limit_)) end
local staying = within(held, remaining - kept - (open - sent - held))
local free = 0
if blocked <= now then free = math.min(most - spent, remaining - open) - kept end
local granted = staying + within(#ARGV - 7 - held, free)
local places = 0
if blocked <= now then places = math.min(8, math.max(1, math.floor(most / 10))) - flights end
local flying = within(granted, math.min(places, remaining - kept - flights))

for i = 8, 7 + math.max(held, granted) do
  local id, leased = ARGV[i], now + lease
  if i < 8 + flying then
    redis.call('ZADD', KEYS[3], leased, id)
    redis.call('ZADD', KEYS[1], leased + counts, id)
    redis.call('ZADD', KEYS[2], leased + counts, id)
  elseif i < 8 + granted then
    redis.call('ZADD', KEYS[1], leased, id)
    redis.call('ZADD', KEYS[2], leased, id)
  else
    redis.call('ZREM', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  end
end
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end

-- What is left of it goes along, so that each replica remembers the account.
local function map(key)
  local pairs_, found = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'), {}
  for i = 1, #pairs_, 2 do found[pairs_[i]] = pairs_[i + 1] end
  return found
end
local unlanded, leases, log = map(KEYS[2]), map(KEYS[3]), {}
local spends = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #spends, 2 do
  local id = spends[i]
  local flies = math.max(0, (leases[id] or now) - now)
  log[#log + 1] = id .. ':' .. (spends[i + 1] - now) .. ':' .. flies .. ':' .. (unlanded[id] and '0' or '1')
end
return {
  'ok', account.epoch, flying, granted - flying, limit or -1, told and tonumber(account.remaining) or -1,
  told and ends - now or 0, math.max(0, blocked - now), table.concat(log, ',')
}
