import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { BULK, type LogChange, MOST_FREES, type QuotaLog, SAME_WINDOW_MS } from './quota-log.js';

/** Longer than any request and window together: a log untouched for this long holds nothing that counts. */
const EXPIRY_MS = 10 * 60_000;

/**
 * One step of a log: what `MemoryLog.change` does in this process. Times are those of the server: no clocks are compared.
 * KEYS: calls by when they stop counting · those of bulk · limit, lowest remaining and refusal, which expire when they no
 *   longer hold · epoch
 * ARGV: the change as JSON · epoch of an empty store
 */
const CHANGE = `
local log, bulk, limits, remains, blocked, epochs = unpack(KEYS)
local change = cjson.decode(ARGV[1])
-- This comes first: a server whose memory is full refuses a script only as long as it has written nothing.
redis.call('PEXPIRE', epochs, ${EXPIRY_MS})
redis.call('SET', epochs, ARGV[2], 'NX', 'PX', ${EXPIRY_MS})
local epoch = redis.call('GET', epochs)
if change.epoch and change.epoch ~= epoch then return { epoch } end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, key in ipairs({ log, bulk }) do redis.call('ZREMRANGEBYSCORE', key, '-inf', now) end

local function put(id, countsMs)
  for _, key in ipairs(string.find(id, '${BULK}', 1, true) and { log, bulk } or { log }) do
    if countsMs > 0 then redis.call('ZADD', key, now + countsMs, id) else redis.call('ZREM', key, id) end
  end
end
for _, entry in ipairs(change.entries) do put(entry.id, entry.countsMs) end

local heard = change.heard
if heard then
  if heard.limit then redis.call('SET', limits, heard.limit, 'PX', heard.limitMs) end
  if heard.remaining then
    local known, endsMs = tonumber(redis.call('GET', remains)), redis.call('PTTL', remains)
    if known and heard.endsInMs <= endsMs + ${SAME_WINDOW_MS} then
      heard.remaining, heard.endsInMs = math.min(known, heard.remaining), math.min(endsMs, heard.endsInMs)
    end
    redis.call('SET', remains, heard.remaining, 'PX', math.max(1, heard.endsInMs))
  end
  if heard.blockedMs > math.max(0, redis.call('PTTL', blocked)) then
    redis.call('SET', blocked, 1, 'PX', heard.blockedMs)
  end
end

local function inFlight() return redis.call('ZCOUNT', log, '(' .. now + change.countsMs, '+inf') end
local granted, frees, wanted = 0, {}, change.wanted
if wanted then
  local counted, flying = redis.call('ZCARD', log), inFlight()
  local limit = tonumber(redis.call('GET', limits)) or wanted.limit
  local remaining = tonumber(redis.call('GET', remains)) or wanted.remaining
  local free = math.min(math.min(limit - counted, remaining - flying) - wanted.leave, wanted.mostInFlight - flying)
  if redis.call('EXISTS', blocked) == 1 then free = 0 end
  for _, ids in ipairs(wanted.calls) do
    if not redis.call('ZSCORE', log, ids[1]) then
      local isAlone = #ids > math.max(1, limit) and redis.call('ZCARD', log) == 0
      if #ids > free and not isAlone then break end
      free = free - #ids
      for _, id in ipairs(ids) do put(id, wanted.countsMs) end
    end
    granted = granted + 1
  end
  if granted < #wanted.calls then
    local scores = redis.call('ZRANGE', log, 0, ${MOST_FREES - 1}, 'WITHSCORES')
    for at = 2, #scores, 2 do frees[at / 2] = scores[at] - now end
  end
end
for _, key in ipairs({ log, bulk }) do redis.call('PEXPIRE', key, ${EXPIRY_MS}) end
return { epoch, granted, redis.call('ZCARD', log), redis.call('ZCARD', bulk), inFlight(),
  redis.call('GET', limits), redis.call('GET', remains), math.max(0, redis.call('PTTL', remains)),
  math.max(0, redis.call('PTTL', blocked)), frees }
`;
const KEYS = ['log', 'bulk', 'limit', 'remaining', 'blocked'] as const;

/** A client that knows the script: it is sent by its hash, and its text only to a server that does not know it. */
interface QuotaRedis extends Redis {
  changeQuotaLog(...keysAndArguments: readonly string[]): Promise<unknown>;
}

/** Logs in Redis, of one service at one address. `newEpoch` returns a different epoch each time, for an empty store. */
export function createRedisQuotaLog(redis: Redis, service: string, newEpoch: () => string): QuotaLog {
  redis.defineCommand('changeQuotaLog', { numberOfKeys: KEYS.length + 1, lua: CHANGE });
  const client = redis as QuotaRedis;
  return {
    async change(scope, change) {
      // The braces (a hash tag) put a service's logs and their epoch on the same server of a cluster.
      const keyOf = (name: string) => `quota:{${hash(service)}}:${name}`;
      const own = KEYS.map((name) => keyOf(`${hash(scope)}:${name}`));
      const reply = await client.changeQuotaLog(...own, keyOf('epoch'), write(change), newEpoch());
      const [epoch, granted, counted, bulk, inFlight, limit, remaining, endsInMs, blockedMs, frees] = list(reply);
      return {
        epoch: String(epoch),
        granted: Number(granted ?? 0),
        counted: Number(counted ?? 0),
        bulk: Number(bulk ?? 0),
        inFlight: Number(inFlight ?? 0),
        limit: limit == null ? null : Number(limit),
        remaining: remaining == null ? null : Number(remaining),
        endsInMs: Number(endsInMs ?? 0),
        blockedMs: Number(blockedMs ?? 0),
        frees: list(frees).map(Number),
      };
    },
  };
}

/** The script takes whole milliseconds. */
function write({ entries = [], ...change }: LogChange): string {
  const whole = (key: string, value: unknown) =>
    typeof value === 'number' && key.endsWith('Ms') ? Math.ceil(value) : (value ?? undefined);
  return JSON.stringify({ entries, ...change }, whole);
}

function list(reply: unknown): unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Hashed, because names of scopes reveal services and routes. */
function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
