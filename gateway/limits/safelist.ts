import { createHash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { CodedError, type RefusedOperation } from '../../kernel/errors.js';
import { DOCUMENT_BOUNDS } from '../../runtime/http/request-body.js';
import { documentLimits } from './operation-limits.js';

/** Operations that clients may send, by the SHA-256 (hexadecimal) of their text. */
export type Safelist = ReadonlyMap<string, string>;

/** `enforce` refuses every other operation; `log` runs it and logs a warning. */
export type SafelistMode = 'enforce' | 'log';

/** A safelist and what happens to operations that are not on it. */
export interface SafelistPolicy {
  readonly operations: Safelist;
  /** SHA-256 (hexadecimal) of the manifests, for comparing replicas. */
  readonly hash: string;
  readonly mode: SafelistMode;
}

/**
 * Parses a manifest of allowed operations: the persisted documents of GraphQL Code Generator, `{"sha256:<sha256 of the
 * document>": "<document>"}`; the same without the prefix, as Relay's compiler writes it, or below `operations`; or the
 * persisted-query manifest of Apollo's tools, `{"operations": [{"id": "<sha256>", "body": "<document>"}]}`. Throws an Error with the reason if it
 * is invalid, which includes a wrong hash.
 */
export function parseSafelist(manifest: string): Safelist {
  const parsed = readJson(manifest) ?? {};
  const { operations = parsed } = parsed as { operations?: unknown };
  const entries = (Array.isArray(operations) ? operations.map(listEntry) : Object.entries(operations ?? {})).map(
    ([id, document]) => [id.replace(/^sha256:/, ''), document] as const,
  );
  if (entries.length === 0) throw new Error('The manifest has no operations.');
  const [[first]] = entries as [(typeof entries)[number]];
  if (MD5.test(first)) throw new Error('Its keys are MD5, as Relay writes them without `"algorithm": "SHA256"`.');
  if (!SHA256.test(first)) throw new Error('This is no manifest of operations: its keys are no SHA-256.');
  for (const [hash, document] of entries) {
    if (typeof document !== 'string') throw new Error(`Operation ${hash} has no document.`);
    if (sha256(document) !== hash) throw new Error(`Operation ${hash} has another hash: ${sha256(document)}.`);
  }
  return new Map(entries);
}

const MD5 = /^[\da-f]{32}$/i;
const SHA256 = /^[\da-f]{64}$/i;

function readJson(text: string): unknown {
  try {
    // Some editors write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error('The manifest is not JSON.');
  }
}

function listEntry(entry: unknown): [string, string] {
  const { id, body } = (entry ?? {}) as { id?: unknown; body?: unknown };
  if (typeof id !== 'string' || typeof body !== 'string') throw new Error('An operation of the list lacks id or body.');
  return [id, body];
}

/** What is wrong with the operations of a manifest on a graph; empty if nothing is. */
export interface ManifestReview {
  /** Operations that would be refused, each with the reason. */
  readonly errors: readonly string[];
  /** What runs today, but not for ever, or not as clients expect. */
  readonly warnings: readonly string[];
}

/** Compares the operations of a manifest with the schema that clients see. */
export function reviewOperations(operations: Safelist, schema: GraphQLSchema): ManifestReview {
  const reviews = [...operations].map(([hash, text]) => {
    const say = ({ message }: { readonly message: string }) => `${nameIn(text, text.length) ?? hash}: ${message}`;
    const errors = documentErrors(schema, text).map(say);
    const deprecated = errors.length > 0 ? [] : validate(schema, parse(text), [NoDeprecatedCustomRule]).map(say);
    return { errors, deprecated };
  });
  return {
    errors: reviews.flatMap(({ errors }) => errors),
    warnings: [...doubtsOf(operations), ...reviews.flatMap(({ deprecated }) => deprecated)],
  };
}

/** Why a document is refused; empty for a valid one. */
export function documentErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  try {
    return validate(schema, parse(text, { maxTokens: DOCUMENT_BOUNDS.tokens }), [...specifiedRules, documentLimits]);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** What the texts alone say that a client may miss. */
export function doubtsOf(operations: Safelist): readonly string[] {
  if ([...operations.values()].some((text) => /\b__typename\b/.test(text))) return [];
  return [
    'No operation of the manifest selects __typename: Apollo Client and Graphcache keep nothing of their results, and show ' +
      'empty lists without an error (docs/frontends.md, 1.2)',
  ];
}

/** What a client sent: the text of an operation, its hash, or both, which need not belong together. */
export interface SentOperation {
  /** The name of the one to run, if the client says it. */
  readonly name: string | undefined;
  readonly query: string | undefined;
  readonly hash: string | undefined;
}

/** A safelist's decision on an operation; `text` is what runs. */
export type SafelistDecision =
  | { readonly outcome: 'allowed'; readonly text: string }
  | { readonly outcome: 'logged'; readonly sent: RefusedOperation }
  | { readonly outcome: 'refused'; readonly error: CodedError };

/**
 * Looks an operation up by the hash that was sent, whatever text is beside it, or else by that of its text. Refuses it
 * with PERMISSION_DENIED if it is not on a list that is enforced.
 */
export function allowOperation(sent: SentOperation, { operations, mode }: SafelistPolicy): SafelistDecision {
  const hash = sent.query === undefined ? sent.hash : sha256(sent.query);
  const known = operations.get(sent.hash ?? '') ?? operations.get(hash ?? '');
  if (known !== undefined) return { outcome: 'allowed', text: known };
  const refused = {
    operation: (sent.name ?? nameIn(sent.query ?? ''))?.slice(0, MAX_NAME),
    operationHash: hash?.slice(0, SHA256_LENGTH),
  };
  if (mode === 'log') return { outcome: 'logged', sent: refused };
  const message = 'This operation is not on the list of allowed operations.';
  return { outcome: 'refused', error: new CodedError('PERMISSION_DENIED', message, { refused }) };
}

/** Clients choose names and hashes: so many characters are reported. */
const MAX_NAME = 100;
const SHA256_LENGTH = 64;

/** How much of a text that a client sends is searched for its name, in characters. */
const SEARCHED = 2_000;

/** The name of the first operation in a text that need not be valid; undefined if none is found near its beginning. */
export function nameIn(query: string, within = SEARCHED): string | undefined {
  return /(?:^|})[ \t]*(?:query|mutation|subscription)[ \t]+([_a-z]\w*)/im.exec(query.slice(0, within))?.[1];
}

/** SHA-256 of a text, hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
