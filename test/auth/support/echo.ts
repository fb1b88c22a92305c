import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The three services in one, whose responses contain nothing but the credential that they received. */
export interface Echo {
  readonly url: string;
  /** Requests with another service's credential, a cookie, or no credential: there must be none. */
  readonly strays: readonly string[];
  /** Number of requests since the last call of this. */
  countCalls(): number;
  /** Numbers that determine the order in which requests that wait together are answered. */
  respondInOrder(choices: readonly number[]): void;
  close(): Promise<void>;
}

/** Requests that arrive within this time of each other wait together. */
const GATHER_MS = 2;

export async function startEcho(): Promise<Echo> {
  const strays: string[] = [];
  const waiting: (() => void)[] = [];
  let choices: readonly number[] = [];
  let chosen = 0;
  let calls = 0;
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    while (waiting.length > 0) {
      const choice = choices[chosen % Math.max(1, choices.length)] ?? 0;
      chosen += 1;
      const [next] = waiting.splice(choice % waiting.length, 1);
      next?.();
    }
  }

  const server = createServer((request, response) => {
    let sent = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      sent += piece;
    });
    request.once('end', () => {
      calls += 1;
      const body = respond(request, sent, strays);
      waiting.push(() => sendJson(response, body));
      clearTimeout(timer);
      timer = setTimeout(release, GATHER_MS);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strays,
    countCalls() {
      const count = calls;
      calls = 0;
      return count;
    },
    respondInOrder(next) {
      choices = next;
      chosen = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The response, which has the credential itself in place of texts. */
function respond({ method, url = '', headers }: IncomingMessage, sent: string, strays: string[]): object {
  const { authorization = '', 'x-api-key': key, apikey, cookie } = headers;
  const stray = (why: string) => strays.push(`${method} ${url}: ${why}`);
  if (cookie !== undefined || Object.keys(headers).some((name) => name.startsWith('x-passerelle'))) stray('a cookie');
  const [path = ''] = url.split('?');
  if (path === '/oauth2/token') {
    if (!authorization.startsWith('Basic ') || key !== undefined) stray('no client');
    return { access_token: `waste-${new URLSearchParams(sent).get('code')}`, token_type: 'Bearer' };
  }
  if (path.startsWith('/v0/')) {
    if (typeof key !== 'string' || key !== apikey || authorization !== '') stray('not its key alone');
    return { ok: true, data: { _id: path.split('/').at(-1), id: path.split('/').at(-1), title: `seen ${key}` } };
  }
  if (key !== undefined || apikey !== undefined || !authorization.startsWith('Bearer ')) stray('not its token alone');
  const token = authorization.replace('Bearer ', '');
  if (path === '/') return { data: { me: { id: token, email: `seen ${token}`, name: null } } };
  return { offer: { title: `seen ${token}` } };
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
