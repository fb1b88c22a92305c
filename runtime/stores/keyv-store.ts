import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { TextStore } from './text-store.js';

/**
 * A store of texts over one of Keyv's adapters. The adapter handles its errors: here they count as "nothing stored".
 * Values are written as `<expiry> <text>` instead of Keyv's JSON, which would escape each quote of a JSON text.
 */
export function createKeyvStore(store: KeyvStoreAdapter): TextStore {
  const keyv = new Keyv<string>({
    store,
    useKeyPrefix: false,
    emitErrors: false,
    serialize: ({ value, expires }) => `${expires ?? 0} ${String(value)}`,
    // Keyv leaves the value's type to the caller; here it is the text that `serialize` received.
    deserialize: (data) => ({ value: textOf(data) as never, expires: expiryOf(data) }),
  });
  const writes = new Set<Promise<unknown>>();
  return {
    get: (key) => keyv.get<string>(key),
    async set(key, text, ttlMs) {
      const write = keyv.set(key, text, ttlMs);
      writes.add(write);
      await write.finally(() => writes.delete(write));
    },
    async delete(key) {
      await keyv.delete(key);
    },
    async close() {
      await Promise.allSettled(writes);
      await keyv.disconnect();
    },
  };
}

function textOf(data: string): string {
  return data.slice(data.indexOf(' ') + 1);
}

function expiryOf(data: string): number | undefined {
  return Number.parseInt(data, 10) || undefined;
}
