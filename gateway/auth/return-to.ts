/** The default target after a login. */
const HOME = '/';

/** In characters: enough for any path of our pages, which may contain an analyst's query. */
const MAX_LENGTH = 2_000;

/**
 * The local path, query and fragment that a browser is redirected to after a login. It is `/` for anything that may lead
 * to another site, percent-encoded or not: a scheme, `//`, a backslash, control characters (waste-identity 10.1); and
 * for the login's own routes, which would loop.
 */
export function readReturnTo(wanted: string | null | undefined): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !isPlain(wanted)) return HOME;
  const [path = ''] = wanted.split(/[?#]/, 1);
  const decoded = decodeFully(path);
  if (decoded === null || !isPlain(decoded) || decoded.startsWith('/auth/')) return HOME;
  const url = new URL(wanted, ANYWHERE);
  return url.origin === ANYWHERE && !url.pathname.startsWith('//') && !url.pathname.startsWith('/auth/')
    ? `${url.pathname}${url.search}${url.hash}`
    : HOME;
}

const ANYWHERE = 'https://anywhere.invalid';

/** Characters that are invisible or that browsers strip. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** One slash at the start, no second one and no backslash in the path, nothing invisible anywhere. */
function isPlain(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return path.startsWith('/') && !path.includes('//') && !path.includes('\\') && !INVISIBLE.test(text);
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
