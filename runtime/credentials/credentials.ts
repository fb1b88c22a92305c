import { createHmac, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import type { Credential } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, type ServiceName } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../http/request-headers.js';
import { equalInConstantTime, Secret } from './secret.js';

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

class SealedCredential extends Secret implements Credential {
  readonly fingerprint: string;

  constructor(secret: string, key: Buffer) {
    super(secret);
    const mark = createHmac('sha256', key).update(secret).digest();
    this.fingerprint = mark.subarray(0, FINGERPRINT_BYTES).toString('base64url');
  }
}

/** Wraps a secret so that only the code that writes a service's headers can read it. */
export type MintCredential = (secret: string) => Credential;

/**
 * The caller's own credential for one service; null when they sent none, or one that is malformed for its header.
 */
export function readCredential(service: ServiceName, headers: RequestHeaders, mint: MintCredential): Credential | null {
  const { header, kind } = SERVICE_ENTRIES[service].credential;
  const value = oneHeader(headers, header);
  if (value === undefined) return null;
  const secret = kind === 'token' ? bearerToken(value) : value.trim();
  return secret === null || secret === '' ? null : mint(secret);
}

/** The header that carries a credential to its own subgraph, and to no other. */
export function credentialHeader(service: ServiceName, credential: Credential): Readonly<Record<string, string>> {
  const { header, kind } = SERVICE_ENTRIES[service].credential;
  const secret = credential.reveal();
  return { [header]: kind === 'token' ? `Bearer ${secret}` : secret };
}

/** The token of `Authorization: Bearer T`; the case of the scheme does not matter (RFC 9110, 11.1). */
function bearerToken(value: string): string | null {
  return /^bearer +(\S+)\s*$/i.exec(value)?.[1] ?? null;
}

const HEADER = 'x-passerelle-subgraph-token';

/** The scheme by which a subgraph's 401 is told from that of a proxy in front of it (RFC 9110, 11.6.1). */
const CHALLENGE = 'PasserelleSubgraphToken';

/** Header of a 401 that is about the token. */
export const TOKEN_CHALLENGE = { 'www-authenticate': CHALLENGE } as const;

/** The header by which one of our subgraphs recognizes its gateway: empty without a token, unlike that of a balancer. */
export function tokenHeader(token: Secret | null): Readonly<Record<string, string>> {
  return { [HEADER]: token?.reveal() ?? '' };
}

/** Checks the token of a request, which may be any of these. A subgraph without tokens treats any given one as none. */
export function readToken(headers: RequestHeaders, tokens: readonly Secret[]): 'right' | 'wrong' | 'none' {
  const given = oneHeader(headers, HEADER);
  if (given === undefined || tokens.length === 0) return 'none';
  return tokens.some((token) => equalInConstantTime(given, token.reveal())) ? 'right' : 'wrong';
}

/** Whether a response says that the gateway's token is not the subgraph's, or that it has none. */
export function refusesToken(
  { statusCode, headers }: { readonly statusCode: number; readonly headers: RequestHeaders },
  token: Secret | null,
): boolean {
  return statusCode === 401 && (token !== null || headers['www-authenticate'] === CHALLENGE);
}
