import { describe, expect, test } from 'vitest';
import { responseIn } from './servers/response-in.js';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** What is found in each prefix of a text, from its first byte to the whole. */
function foundIn(text: string) {
  const bytes = Buffer.from(text);
  return Array.from({ length: bytes.length }, (_, end) => responseIn(bytes.subarray(0, end + 1)));
}

describe('the response that bytes hold', () => {
  test.each([
    ['with a length', `${HEAD}Content-Length: 5\r\n\r\n{"é"`, { status: 200, bodyBytes: 5 }],
    ['without a body', 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', { status: 404, bodyBytes: 0 }],
    [
      'in chunks',
      `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`,
      { status: 200, bodyBytes: 13 },
    ],
  ])('%s is found with its last byte and not before', (_name, text, found) => {
    const all = foundIn(text);
    expect(all.at(-1)).toEqual(found);
    expect(all.slice(0, -1).every((early) => early === null)).toBe(true);
  });
});
