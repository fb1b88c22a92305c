-- These spends were reserved and not needed. One that has landed stays.
-- KEYS: spends · open · flying
-- ARGV: ids
for _, id in ipairs(ARGV) do
  if redis.call('ZREM', KEYS[2], id) == 1 then
    redis.call('ZREM', KEYS[1], id)
    redis.call('ZREM', KEYS[3], id)
  end
end
return 1
