import { type Agent, request } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  /** The body as JSON; fails for anything else. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it.
  json(): any;
}

export interface RawOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Reuses connections; without an agent, each request has its own. */
  readonly agent?: Agent;
}

/** One request with node:http alone: no decompression, redirects or retries. */
export function fetchRaw(
  url: string,
  { method = 'GET', headers = {}, body, agent }: RawOptions = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: agent ?? false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(pieces);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          text: whole.toString(),
          json: () => JSON.parse(whole.toString()),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
