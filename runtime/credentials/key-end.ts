import { isRecord } from '../../kernel/text.js';

/** What a key says of itself. Nothing of it is verified: it serves warnings, and whether the key is worth sending. */
interface KeyClaims {
  /** When it ends, in milliseconds since 1970; null if it does not say. */
  readonly endsMs: number | null;
  /** The word for another environment than production in the name of who issued it; null without one. */
  readonly testOf: string | null;
}

/** The environments of work-study beside production (work-study 3). */
const TEST_ENVIRONMENT = /\b(?:local|recette|preview|test)\b/i;
/** Reads a key that is a signed token (RFC 7519) of at most 8 kB. Any other is opaque: it says nothing. */
export function claimsOf(key: string): KeyClaims {
  const [, header = '', payload = ''] = /^(?=.{1,8192}$)([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(key) ?? [];
  const { exp, iss = '' } = (jsonIn(header) && jsonIn(payload)) ?? {};
  // No date can hold a later time than 8.64e15.
  const endsMs = typeof exp === 'number' ? exp * 1000 : 0;
  const [testOf = null] = TEST_ENVIRONMENT.exec(String(iss)) ?? [];
  return { endsMs: endsMs > 0 && endsMs <= 8.64e15 ? endsMs : null, testOf };
}

function jsonIn(part: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isRecord(json) ? json : null;
  } catch {
    return null;
  }
}

const DAY_MS = 24 * 3600 * 1000;
/** Long enough to ask a service for another key by e-mail. */
const WARNED_DAYS = 30;

/** When a key ends, in words, such as `ends on 2026-12-20, in 21 days`; null while that is more than 30 days away. */
export function endInWords(endsMs: number, nowMs: number): string | null {
  const days = Math.ceil((endsMs - nowMs) / DAY_MS);
  const date = new Date(endsMs).toISOString().slice(0, 10);
  if (endsMs <= nowMs) return `expired on ${date}: ask the service for another`;
  if (days > WARNED_DAYS) return null;
  return `ends on ${date}, in ${days} ${days === 1 ? 'day' : 'days'}: ask the service for another`;
}
