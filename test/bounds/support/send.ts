import { request } from 'node:http';

/** A request exactly as it is sent: nothing is corrected on the way. */
export interface Sent {
  readonly method?: string;
  /** Path and query, sent unencoded. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A response, with its size in bytes. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: number;
  readonly text: string;
}

/** Sends one request on a connection of its own. Rejects if the connection ends before the response does. */
export function send(url: string, { method = 'POST', path = '/graphql', headers = {}, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...json, ...headers }, agent: false });
    sent.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject).on('end', () => {
        const received = Buffer.concat(chunks);
        const { statusCode = 0, headers: sentBack } = response;
        resolve({ status: statusCode, headers: sentBack, bytes: received.length, text: received.toString('utf8') });
      });
    });
    sent.end(body);
  });
}

/** A query as the body of a POST. */
export function queryBody(query: string, variables?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ query, ...(variables && { variables }) });
}
