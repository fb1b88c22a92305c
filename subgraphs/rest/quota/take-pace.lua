-- Takes calls from a bucket that refills steadily: pace-account.ts, for all replicas.
-- KEYS: bucket
-- ARGV: calls a second · calls of a burst · calls wanted · share of the burst that stays · share regained a second · smallest share · 1 to halve the pace · ms after which all is forgotten
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A server whose memory is full refuses a script only as long as it has written nothing, and this writes nothing new.
redis.call('PEXPIRE', KEYS[1], ARGV[8])
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local bucket = redis.call('HMGET', KEYS[1], 'calls', 'share', 'at')
local share = tonumber(bucket[2] or 1)
local seconds = math.max(0, now - tonumber(bucket[3] or now)) / 1000
local calls = math.min(burst * share, tonumber(bucket[1] or burst) + rate * share * seconds)
share = math.min(1, share + ARGV[5] * seconds)

local taken = 0
if ARGV[7] == '1' then
  share, calls = math.max(tonumber(ARGV[6]), share / 2), 0
else
  taken = math.max(0, math.min(tonumber(ARGV[3]), math.floor(calls - burst * ARGV[4])))
  calls = calls - taken
end
redis.call('HSET', KEYS[1], 'calls', tostring(calls), 'share', tostring(share), 'at', now)
redis.call('PEXPIRE', KEYS[1], ARGV[8])
-- Numbers with fractions must leave as text.
return { taken, tostring(calls), tostring(rate * share) }
