/** The default target after a login. */
const HOME = '/';

/** In characters: enough for any path of our pages, which may contain an analyst's query. */
const MAX_LENGTH = 2_000;

/**
 * Where a browser is redirected to after a login: a local path with query and fragment, or a page of one of `origins`.
 * It is `/` for anything that may lead elsewhere, percent-encoded or not: another scheme or origin, `//`, a backslash,
 * control characters (waste-identity 10.1); and for the login's own routes, which would loop.
 */
export function readReturnTo(wanted: string | null | undefined, origins: readonly string[]): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH) return HOME;
  const origin = origins.find((allowed) => wanted.startsWith(`${allowed}/`));
  const path = readPath(wanted.slice(origin?.length ?? 0));
  if (path === null) return HOME;
  if (origin !== undefined) return `${origin}${path}`;
  return decodeFully(pathOf(path))?.startsWith('/auth/') === false ? path : HOME;
}

/** Path, query and fragment, resolved as a browser does; null if they may lead to another site. */
function readPath(wanted: string): string | null {
  const decoded = isPlain(wanted) ? decodeFully(pathOf(wanted)) : null;
  if (decoded === null || !isPlain(decoded)) return null;
  const url = new URL(wanted, ANYWHERE);
  return url.origin === ANYWHERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : null;
}

const ANYWHERE = 'https://anywhere.invalid';

/** Characters that are invisible or that browsers strip. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** One slash at the start, no second one and no backslash in the path, nothing invisible anywhere. */
function isPlain(text: string): boolean {
  const path = pathOf(text);
  return path.startsWith('/') && !path.includes('//') && !path.includes('\\') && !INVISIBLE.test(text);
}

function pathOf(text: string): string {
  return text.split(/[?#]/, 1)[0] ?? '';
}

/** The path decoded until it no longer changes; null if it is malformed or encoded too often. */
function decodeFully(path: string): string | null {
  let text = path;
  for (let round = 0; round < 5; round += 1) {
    try {
      const decoded = decodeURIComponent(text);
      if (decoded === text) return text;
      text = decoded;
    } catch {
      return null;
    }
  }
  return null;
}
