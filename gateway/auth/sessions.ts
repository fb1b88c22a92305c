import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Secret } from '../../runtime/credentials/secret.js';
import type { ExactStore } from '../../runtime/stores/exact-store.js';

/** Encryption keys of 32 bytes, the newest first: the first encrypts, any decrypts. */
export type SealKeys = readonly [Buffer, ...Buffer[]];

/** A store of what must not be readable in it. */
export interface SealedStore {
  readonly store: ExactStore;
  readonly keys: SealKeys;
  /** Milliseconds since 1970. */
  now(): number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A session ends after a day without a request (waste-identity 10.4). Sessions are long because each login leaves one
 * more token at the platform that only the user can revoke (waste-identity 4.2).
 */
export const IDLE_MS = DAY_MS;
/** A session ends after thirty days in any case (waste-identity 10.4). */
export const ABSOLUTE_MS = 30 * DAY_MS;

/** The last use of a session is written at most this often. */
const TOUCH_MS = MINUTE_MS;

/** What pages may show of the user of a session. */
export interface SessionUser {
  readonly name: string | null;
  readonly email: string | null;
}

/** A successful login. */
interface Login {
  readonly upstream: string;
  /** Identifier of the user at the platform. */
  readonly subject: string;
  readonly user: SessionUser;
  readonly token: Secret;
}

/** A session as stored. */
export interface Session {
  /** Its key in the store: a hash, which is useless as a cookie. */
  readonly key: string;
  /** Identifier of the user at the platform. */
  readonly subject: string;
  readonly user: SessionUser;
  /** Null after the platform refused it: the user must log in again. */
  readonly token: Secret | null;
}

/** The sessions of all browsers. */
export type Sessions = ReturnType<typeof createSessions>;

/** A stored row. The principal is inside `sealed`, so that the store reveals no identifier. */
interface Row {
  readonly openedAt: number;
  readonly upstream: string;
  readonly sealed: string;
}

/** The principal of a session: the sealed part of its row. */
interface Principal {
  readonly subject: string;
  readonly user: SessionUser;
}

/**
 * Creates sessions in a store. Token and last use have their own keys beside the row, so that revoking a token is a
 * single deletion, and no late write of a row can bring back a session that has ended.
 */
export function createSessions({ store, keys, now }: SealedStore) {
  // Sealed data opens only under its own key, and a token only for its principal. If the encryption key is lost, users log
  // in again.
  function principalOf(key: string, row: Row): Principal | null {
    const principal = unseal(keys, row.sealed, [key, row.upstream]);
    // Only what was sealed here can be opened.
    return principal === null ? null : (JSON.parse(principal) as Principal);
  }

  async function touch(key: string, usedAt: number): Promise<boolean> {
    const idleMs = now() - usedAt;
    if (!(idleMs <= IDLE_MS)) return false;
    // A full store can still be read: the session lives until the last use that could be written is too old.
    if (idleMs >= TOUCH_MS) await store.set(usedKey(key), String(now()), IDLE_MS).catch(() => {});
    return true;
  }

  /** Ends a session and deletes its token. */
  async function end(key: string): Promise<void> {
    for (const each of [key, tokenKey(key), usedKey(key)]) await store.delete(each);
  }

  return {
    keyOf,
    end,
    /** Opens a session; returns its new id for the browser's cookie. */
    async open({ upstream, subject, user, token }: Login): Promise<string> {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id);
      const principal: Principal = { subject, user };
      const row: Row = { openedAt: now(), upstream, sealed: seal(keys, JSON.stringify(principal), [key, upstream]) };
      const sealedToken = seal(keys, token.reveal(), tokenBinding(key, upstream, principal));
      await store.set(usedKey(key), String(now()), IDLE_MS);
      await store.set(tokenKey(key), sealedToken, ABSOLUTE_MS);
      await store.set(key, JSON.stringify(row), ABSOLUTE_MS);
      return id;
    },
    /** The session of an id, whose use is recorded; null if it has ended or never existed. */
    async find(id: string): Promise<Session | null> {
      const key = keyOf(id);
      const [text, sealedToken, usedAt] = await Promise.all([key, tokenKey(key), usedKey(key)].map(store.get));
      if (text === undefined) return null;
      // Only this file writes these keys, and what is sealed is what they sealed.
      const row = JSON.parse(text) as Row;
      const principal = principalOf(key, row);
      if (principal === null || now() - row.openedAt > ABSOLUTE_MS) return null;
      if (!(await touch(key, Number(usedAt)))) {
        await end(key);
        return null;
      }
      const token =
        sealedToken === undefined ? null : unseal(keys, sealedToken, tokenBinding(key, row.upstream, principal));
      return { key, ...principal, token: token === null ? null : new Secret(token) };
    },
    /** Deletes a session's token because the platform no longer accepts it. This marks the session "reconnect". */
    forgetToken: (key: string) => store.delete(tokenKey(key)),
  };
}

/** The key of a session: a hash, so that reading the store reveals no session id (waste-identity 10.4). */
function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('base64url')}`;
}

function tokenKey(key: string): string {
  return `${key}:token`;
}

/** What a sealed token is bound to. */
function tokenBinding(key: string, upstream: string, { subject }: Principal): string[] {
  return [tokenKey(key), upstream, subject];
}

function usedKey(key: string): string {
  return `${key}:used`;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 6;

/**
 * Encrypts a text for the store (waste-identity 10.6). `boundTo` is authenticated: it opens only with the same values.
 */
export function seal([newest]: SealKeys, text: string, boundTo: readonly string[]): string {
  const keyId = idOf(newest);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, newest, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(keyId, boundTo));
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${keyId}.${body.toString('base64url')}`;
}

/** Decrypts; null if the text is damaged, was bound to other values, or its key is gone. */
export function unseal(keys: SealKeys, sealed: string, boundTo: readonly string[]): string | null {
  const [keyId = '', body = ''] = sealed.split('.');
  const key = keys.find((one) => idOf(one) === keyId);
  const bytes = Buffer.from(body, 'base64url');
  if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(keyId, boundTo));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** Identifies a key in stored data without revealing it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES).toString('base64url');
}

/** As JSON, so that no two lists have the same encoding. */
function associatedData(keyId: string, boundTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...boundTo]));
}
