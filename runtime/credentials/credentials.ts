import { createHmac, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { inspect } from 'node:util';
import type { Credential } from '../../schema/operation.js';
import { Secret } from './secret.js';

const KEY_BYTES = 32;
/** 128 bits distinguish all callers. */
const FINGERPRINT_BYTES = 16;
/** Of scrypt: a dozen milliseconds for each guess, and for each operator's key at a start. The keys are random and long. */
const ACCOUNT_COST = 4096;

/**
 * The keys that are derived from `SESSION_SECRET`: one for each use, so that one of them reveals nothing of another.
 */
export interface RootKeys {
  /** Keys of 32 bytes for one use, the newest secret's first: write with the first, read with any. */
  derive(use: string): readonly [Buffer, ...Buffer[]];
}

/** Derives keys from the root secrets, the newest first; random ones, new at every start, when there are none. */
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
 * Makes credentials of keys and tokens. Equal secrets have equal fingerprints in all processes that share the root
 * secret; without it a fingerprint says nothing of the secret.
 */
export function createCredentialMinter(keys: RootKeys): (secret: string) => Credential {
  const [key] = keys.derive('credential-fingerprint');
  return (secret) => new SealedCredential(secret, key);
}

/**
 * An identifier of an operator's key that is the same whatever the root secret is: replicas in the middle of its rotation count
 * the key's calls together. It is stored under a name in Redis, so a guess at the key costs as much as one at a password.
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
