/** Where a login leads that does not say where. */
const HOME = '/';

/** Longer than any path of our pages, which may carry an analyst's query. */
const LONGEST = 2_000;

/**
 * The local path, query and fragment that a browser is sent to after a login; `/` for everything that leads or might be
 * read to lead elsewhere: a scheme, `//`, a backslash, control characters, and the same in percent-encoded form
 * (waste-identity 10.1), and for the login's own routes, which would go round in circles.
 */
export function readReturnTo(wanted: string | null | undefined): string {
  if (typeof wanted !== 'string' || wanted.length > LONGEST || !isPlain(wanted)) return HOME;
  const [path = ''] = wanted.split(/[?#]/, 1);
  const decoded = decodeFully(path);
  if (decoded === null || !isPlain(decoded) || decoded.startsWith('/auth/')) return HOME;
  const url = new URL(wanted, ANYWHERE);
  return url.origin === ANYWHERE && !url.pathname.startsWith('//') && !url.pathname.startsWith('/auth/')
    ? `${url.pathname}${url.search}${url.hash}`
    : HOME;
}

const ANYWHERE = 'https://anywhere.invalid';

/** Characters that are invisible or that a browser strips. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** One slash at the start, no second one and no backslash in the path, nothing invisible anywhere. */
function isPlain(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return path.startsWith('/') && !path.includes('//') && !path.includes('\\') && !INVISIBLE.test(text);
}

/** The path with nothing left to decode, however often it was encoded; null when it cannot be decoded. */
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
