import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';

/** What the editors have, and a link holds: never headers, never keys. */
export interface SharedQuery {
  readonly query: string;
  readonly variables: string;
  /** View, list, filters, order and colours of the tab, as JSON. */
  readonly memory?: unknown;
}

/** Longer queries are deflated. */
const PLAIN_BYTES = 2048;
/** What a link may inflate to, a hundred times what the page writes: the rest is cut off, which is then no JSON. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The URL fragment for a query; fragments are never sent to a server. */
export function shareFragment({ query, variables, memory }: SharedQuery): string {
  const bytes = strToU8(JSON.stringify({ q: query, v: variables, m: memory }));
  return bytes.length > PLAIN_BYTES ? `#z=${toBase64Url(deflateSync(bytes))}` : `#q=${toBase64Url(bytes)}`;
}

/** The query in a fragment; null if it has none or is malformed. */
export function readShareFragment(fragment: string): SharedQuery | null {
  const [, kind, text = ''] = /^#([qz])=([\w-]{1,40000})$/.exec(fragment) ?? [];
  if (kind === undefined) return null;
  try {
    const bytes = fromBase64Url(text);
    const shared: unknown = JSON.parse(
      strFromU8(kind === 'z' ? inflateSync(bytes, { out: new Uint8Array(MAX_BYTES) }) : bytes),
    );
    if (!isShared(shared)) return null;
    const { q: query, v: variables = '', m: memory } = shared;
    return { query, variables, ...(memory !== undefined && { memory }) };
  } catch {
    return null;
  }
}

function isShared(value: unknown): value is { q: string; v?: string; m?: unknown } {
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
