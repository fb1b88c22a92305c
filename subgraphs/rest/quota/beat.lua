-- A replica says that it is there, and learns how many milliseconds ago each of them did.
-- KEYS: replicas (by the time of their last beat)
-- ARGV: the replica · ms after which one that is silent is gone
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Removing comes first: a server whose memory is full refuses a script only as long as it has written nothing.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local beats, ages = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), {}
for i = 2, #beats, 2 do ages[#ages + 1] = now - beats[i] end
return ages
