import type { IncomingMessage } from 'node:http';

/** The body of a request is larger than the route accepts. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Reads a request's body.
 * @param limit bytes that the route accepts
 * @throws BodyTooLarge as soon as more is announced or received
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new BodyTooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > limit) throw new BodyTooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The body for the call log: parsed JSON or form, or text; null if empty. */
export function readableBody(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return null;
  const text = body.toString('utf8');
  if (contentType?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
