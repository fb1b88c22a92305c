/** A character in plain form, escaped as in JSON, or percent-encoded. */
const FORMS = /\\u([\da-f]{4})|%([\da-f]{2})|\\?(.)/gis;

/**
 * The text with a secret that a service repeats in it masked, whichever of these forms each character has. Backslashes
 * are not compared, because how many stand for one depends on the form. JSON stays JSON.
 */
export function withoutSecret(text: string, secret: string): string {
  const read = readForms(text);
  // The secret as its proper forms decode, and as it decodes itself if it looks encoded.
  const needles = new Set([inBytes(secret), readForms(secret).characters]);
  const ranges = [...needles].flatMap((needle) => rangesOf(needle, read)).sort(([a], [b]) => a - b);
  let [shown, until] = ['', 0];
  for (const [start, end] of ranges) {
    if (start >= until) shown += `${text.slice(until, start)}[secret]`;
    until = Math.max(until, end);
  }
  return shown + text.slice(until);
}

/** A text decoded to plain characters (bytes of UTF-8), and where each begins and ends in the text. */
interface Forms {
  readonly characters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function readForms(text: string): Forms {
  const [pieces, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (const { 0: form, 1: unicode, 2: percent, 3: plain = '', index } of text.matchAll(FORMS)) {
    const code = Number.parseInt(unicode ?? percent ?? '', 16);
    // A percent-encoded byte is a byte of UTF-8 already.
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

/** Spaces become pluses, as in form-encoded addresses. */
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
