/** The parts of a response that the load needs. */
export interface ResponseFound {
  readonly status: number;
  readonly bodyBytes: number;
}

/** The complete response in these bytes; null while part of it is missing. */
export function responseIn(bytes: Buffer): ResponseFound | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) {
    const bodyBytes = chunkedBytes(bytes, bodyStart);
    return bodyBytes === null ? null : { status, bodyBytes };
  }
  const bodyBytes = Number(length);
  return bytes.length < bodyStart + bodyBytes ? null : { status, bodyBytes };
}

/** Bytes of a chunked body without its framing; null while its end is missing. */
function chunkedBytes(bytes: Buffer, start: number): number | null {
  let sum = 0;
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return null;
    if (size === 0) return sum;
    sum += size;
  }
}
