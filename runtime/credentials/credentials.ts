import { createHmac, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { inspect } from 'node:util';
import type { Credential } from '../../kernel/operation.js';
import { Secret } from './secret.js';

const KEY_BYTES = 32;
/** 128 bits are enough to tell all callers apart. */
const FINGERPRINT_BYTES = 16;
/** Cost of scrypt: a dozen milliseconds per guess, and per operator key at a start. The keys are random and long. */
const ACCOUNT_COST = 4096;

/**
 * The keys that are derived from `SESSION_SECRET`: one per use, so that none reveals anything about another.
 */
export interface RootKeys {
  /** 32-byte keys for one use, the newest secret's first: write with the first, read with any. */
  derive(use: string): readonly [Buffer, ...Buffer[]];
}

/** Derives keys from the root secrets, newest first; without any, from a random secret, new at every start. */
export function createRootKeys(secrets: readonly Secret[]): RootKeys {
  const [newest = new Secret(randomBytes(KEY_BYTES).toString('hex')), ...older] = secrets;
  return {
    derive: (use) => [deriveKey(newest, use), ...older.map((secret) => deriveKey(secret, use))],
  };
}

function deriveKey(secret: Secret, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret.reveal(), 'passerelle', use, KEY_BYTES));
}

/**
 * Wraps keys and tokens as credentials. Equal secrets have equal fingerprints in all processes that share the root
 * secret; without the root secret, a fingerprint reveals nothing about its secret.
 */
export function createCredentialMinter(keys: RootKeys): (secret: string) => Credential {
  const [key] = keys.derive('credential-fingerprint');
  return (secret) => new SealedCredential(secret, key);
}

/**
 * An identifier of an operator's key that does not depend on the root secret, so that replicas in the middle of its
 * rotation count the key's calls together. It appears in Redis, so guessing the key costs as much as a password.
 */
export function operatorAccountOf(operatorKey: string): string {
  const account = scryptSync(operatorKey, 'passerelle operator key', FINGERPRINT_BYTES, { cost: ACCOUNT_COST });
  return account.toString('base64url');
}

class SealedCredential implements Credential {
  readonly fingerprint: string;
  readonly #secret: string;

  constructor(secret: string, key: Buffer) {
    this.#secret = secret;
    this.fingerprint = createHmac('sha256', key)
      .update(secret)
      .digest()
      .subarray(0, FINGERPRINT_BYTES)
      .toString('base64url');
  }

  reveal(): string {
    return this.#secret;
  }

  [inspect.custom](): string {
    return `Credential(${this.fingerprint})`;
  }
}
