-- Reserves what is free for new ids and lets as many fly as may be in flight at once: window-account.ts, for all replicas.
-- KEYS: spends (id by the time until which it counts) · open (those that have not landed) · flying (by the end of their lease) · account
-- ARGV: epoch as last seen, or '' · epoch for a new account · documented limit, or '' · ms a spend counts · ms of a lease · share that stays free · ms after which all is forgotten · ids
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counts, lease = tonumber(ARGV[4]), tonumber(ARGV[5])
-- Removing comes first: a server whose memory is full refuses a script only as long as it has written nothing.
for i = 1, 3 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end

local account = {}
local fields = redis.call('HGETALL', KEYS[4])
for i = 1, #fields, 2 do account[fields[i]] = fields[i + 1] end
if ARGV[1] ~= '' and account.epoch ~= ARGV[1] then return { 'lost' } end
if not account.epoch then
  account.epoch = ARGV[2]
  redis.call('HSET', KEYS[4], 'epoch', ARGV[2])
end

local limit = tonumber(account.limit or ARGV[3])
local ends, blocked = tonumber(account.ends or 0), tonumber(account.blocked or 0)
local told = ends > now

local free, slots = 0, 0
if blocked <= now then
  local most = limit or 1
  free = most - redis.call('ZCARD', KEYS[1])
  if told then free = math.min(free, tonumber(account.remaining) - redis.call('ZCARD', KEYS[2])) end
  free = free - math.ceil(most * tonumber(ARGV[6]))
  slots = math.min(8, math.max(1, math.floor(most / 10))) - redis.call('ZCARD', KEYS[3])
end

local flying, reserved = 0, 0
for i = 8, #ARGV do
  local id = ARGV[i]
  if not redis.call('ZSCORE', KEYS[1], id) then
    if free <= 0 then break end
    free = free - 1
  end
  local until_ = now + lease
  if slots > 0 and reserved == 0 then
    slots = slots - 1
    flying = flying + 1
    redis.call('ZADD', KEYS[3], until_, id)
    until_ = until_ + counts
  else
    reserved = reserved + 1
  end
  redis.call('ZADD', KEYS[1], until_, id)
  redis.call('ZADD', KEYS[2], until_, id)
end
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end

-- What is left of it goes along, so that each replica remembers the account.
local function map(key)
  local pairs_, found = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'), {}
  for i = 1, #pairs_, 2 do found[pairs_[i]] = pairs_[i + 1] end
  return found
end
local open, leases, log = map(KEYS[2]), map(KEYS[3]), {}
local spends = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #spends, 2 do
  local id = spends[i]
  local flies = leases[id] and (leases[id] - now) or 0
  log[#log + 1] = id .. ':' .. (spends[i + 1] - now) .. ':' .. flies .. ':' .. (open[id] and '0' or '1')
end
return {
  'ok', account.epoch, flying, reserved, limit or -1, told and tonumber(account.remaining) or -1,
  told and ends - now or 0, math.max(0, blocked - now), table.concat(log, ',')
}
