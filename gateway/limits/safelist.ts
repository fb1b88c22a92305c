import { createHash } from 'node:crypto';
import { CodedError } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';

/** Operations that clients may send, by the SHA-256 (hexadecimal) of their text. */
export type Safelist = ReadonlyMap<string, string>;

/** `enforce` refuses every other operation; `log` runs it and says so. */
export type SafelistMode = 'enforce' | 'log';

export interface SafelistPolicy {
  readonly operations: Safelist;
  readonly mode: SafelistMode;
}

/**
 * Reads a manifest of allowed operations. Two forms: `{"operations": {"<sha256 of the document>": "<document>"}}`, and
 * the persisted-query manifest of Apollo's tools, `{"operations": [{"id": "<sha256>", "body": "<document>"}]}`.
 * Throws an Error that says what is wrong; a hash that is not its document's is wrong.
 */
export function parseSafelist(manifest: string): Safelist {
  const { operations } = (readJson(manifest) ?? {}) as { operations?: unknown };
  const entries = Array.isArray(operations) ? operations.map(listEntry) : Object.entries(operations ?? {});
  if (entries.length === 0) throw new Error('The manifest has no operations.');
  for (const [hash, document] of entries) {
    if (typeof document !== 'string') throw new Error(`Operation ${hash} has no document.`);
    if (sha256(document) !== hash) throw new Error(`Operation ${hash} has another hash: ${sha256(document)}.`);
  }
  return new Map(entries);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The manifest is not JSON.');
  }
}

function listEntry(entry: unknown): [string, string] {
  const { id, body } = (entry ?? {}) as { id?: unknown; body?: unknown };
  if (typeof id !== 'string' || typeof body !== 'string') throw new Error('An operation of the list lacks id or body.');
  return [id, body];
}

/** What a client sent: the text of an operation, or the hash under which it may be known. */
export interface SentOperation {
  readonly query: string | undefined;
  readonly hash: string | undefined;
}

/**
 * The text to run. A hash of the manifest stands for its document. Throws PERMISSION_DENIED for an operation that is
 * not in the manifest, when that is enforced.
 */
export function allowOperation(sent: SentOperation, policy: SafelistPolicy, log: Log): string | undefined {
  const hash = sent.query === undefined ? sent.hash : sha256(sent.query);
  const known = hash === undefined ? undefined : policy.operations.get(hash);
  if (known !== undefined) return known;
  if (policy.mode === 'log') {
    log.warn({ operationHash: hash }, 'an operation that is not on the safelist was run');
    return sent.query;
  }
  throw new CodedError('PERMISSION_DENIED', 'This operation is not on the list of allowed operations.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
