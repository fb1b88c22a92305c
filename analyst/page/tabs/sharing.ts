import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';

/** The content of a link: never headers, never keys. */
export interface SharedQuery {
  readonly query: string;
  readonly variables: string;
  /** View, list, filters, order and colours of the tab, as JSON. */
  readonly memory?: unknown;
  /** GraphiQL's id of the tab that an address returns to, such as after a login. */
  readonly tab?: string;
}

/** Longer queries are deflated. */
const PLAIN_BYTES = 2048;

/** The URL fragment for a query; fragments are never sent to a server. */
export function shareFragment({ query, variables, memory, tab }: SharedQuery): string {
  const bytes = strToU8(JSON.stringify({ q: query, v: variables, m: memory, t: tab }));
  return bytes.length > PLAIN_BYTES ? `#z=${toBase64Url(deflateSync(bytes))}` : `#q=${toBase64Url(bytes)}`;
}

/** The query in a fragment; null if it has none or is malformed. */
export function readShareFragment(fragment: string): SharedQuery | null {
  const [, kind, text = ''] = /^#([qz])=([\w-]+)$/.exec(fragment) ?? [];
  if (kind === undefined) return null;
  try {
    const bytes = fromBase64Url(text);
    const shared: unknown = JSON.parse(strFromU8(kind === 'z' ? inflate(bytes) : bytes));
    if (!isShared(shared)) return null;
    const { q: query, v: variables = '', m: memory, t: tab } = shared;
    return { query, variables, ...(memory !== undefined && { memory }), ...(typeof tab === 'string' && { tab }) };
  } catch {
    return null;
  }
}

/** What a link may inflate to: a hundred times what the page writes. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Read at once, and at most a thousand times as many when inflated. */
const SLICE_BYTES = 1024;

/** Throws for what would be longer than `MAX_BYTES`, before it is inflated. */
function inflate(bytes: Uint8Array): Uint8Array {
  const inflated: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((chunk) => {
    size += chunk.length;
    inflated.push(chunk);
  });
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    stream.push(bytes.subarray(from, from + SLICE_BYTES), from + SLICE_BYTES >= bytes.length);
    if (size > MAX_BYTES) throw new RangeError('The link is too long.');
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of inflated) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The example in a fragment such as `#example=missions-near-a-commune`; null if none. */
export function readExampleFragment(fragment: string): string | null {
  return /^#example=([a-z0-9-]+)$/.exec(fragment)?.[1] ?? null;
}

function isShared(value: unknown): value is { q: string; v?: string; m?: unknown; t?: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { q, v } = value as { q?: unknown; v?: unknown };
  return typeof q === 'string' && (v === undefined || typeof v === 'string');
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(strFromU8(bytes, true)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array {
  return strToU8(atob(text.replaceAll('-', '+').replaceAll('_', '/')), true);
}
