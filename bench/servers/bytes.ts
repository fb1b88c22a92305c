/**
 * The least that a response over HTTP can cost: bytes that the bench passes in at the start, compressed once, and sent
 * by Node's own server.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** The response to each path, including its query. */
export interface GivenResponses {
  readonly responses: Readonly<Record<string, string>>;
}

interface Sent {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

const given = once(process, 'message');
process.channel?.ref();
process.send?.({ waiting: true });
const [{ responses }] = (await given) as [GivenResponses];
const encoded = new Map<string, Sent | null>();

function encode(path: string, encoding: string): Sent | null {
  const text = responses[path];
  if (text === undefined) return null;
  const body = encoding === 'gzip' ? gzipSync(text) : encoding === 'br' ? brotliCompressSync(text) : Buffer.from(text);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
  return { body, headers: encoding === '' ? headers : { ...headers, 'content-encoding': encoding } };
}

const server = createServer(({ url = '', headers }, response) => {
  const encoding = String(headers['accept-encoding'] ?? '');
  const key = `${encoding} ${url}`;
  let sent = encoded.get(key);
  if (sent === undefined) {
    sent = encode(url, encoding);
    encoded.set(key, sent);
  }
  if (sent === null) response.writeHead(404).end();
  else response.writeHead(200, sent.headers).end(sent.body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`The server of bytes answers at http://127.0.0.1:${(server.address() as { port: number }).port}`);
