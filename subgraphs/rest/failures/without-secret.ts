/** A character as it is, as JSON escapes it, or percent-encoded. */
const FORMS = /\\u([\da-f]{4})|%([\da-f]{2})|\\?(.)/gis;

/**
 * A text without a secret that a service repeats in it, each character in any of these forms. Backslashes are not
 * compared: how many stand for one depends on the form. JSON stays JSON.
 */
export function withoutSecret(text: string, secret: string): string {
  const read = readForms(text);
  // As every proper form is read, and as the secret itself is read where it looks like one.
  const needles = new Set([inBytes(secret), readForms(secret).characters]);
  const ranges = [...needles].flatMap((needle) => rangesOf(needle, read)).sort(([a], [b]) => a - b);
  let [shown, until] = ['', 0];
  for (const [start, end] of ranges) {
    if (start >= until) shown += `${text.slice(until, start)}[secret]`;
    until = Math.max(until, end);
  }
  return shown + text.slice(until);
}

/** A text in its plain characters (bytes of UTF-8), and where each begins and ends in it. */
interface Forms {
  readonly characters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function readForms(text: string): Forms {
  const [pieces, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (const { 0: form, 1: unicode, 2: percent, 3: plain = '', index } of text.matchAll(FORMS)) {
    const code = Number.parseInt(unicode ?? percent ?? '', 16);
    // A percent-encoded byte is one already.
    const bytes =
      percent !== undefined && code > 127 ? String.fromCharCode(code) : inBytes(plain || String.fromCharCode(code));
    pieces.push(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      starts.push(index);
      ends.push(index + form.length);
    }
  }
  return { characters: pieces.join(''), starts, ends };
}

/** Forms of addresses write a space as a plus. */
function inBytes(text: string): string {
  return Buffer.from(text.replaceAll('\\', '').replaceAll(' ', '+')).toString('latin1');
}

function rangesOf(needle: string, { characters, starts, ends }: Forms): [start: number, end: number][] {
  const ranges: [number, number][] = [];
  if (needle === '') return ranges;
  for (let at = characters.indexOf(needle); at >= 0; at = characters.indexOf(needle, at + needle.length)) {
    ranges.push([starts[at] ?? 0, ends[at + needle.length - 1] ?? 0]);
  }
  return ranges;
}
