import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** An authorization server from outside this project, with the API that the product needs beside it. */
export interface IndependentServer {
  /** Base address of its pages and its token endpoint. */
  readonly url: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Statuses of the token requests so far. */
  readonly exchanges: readonly number[];
  /** Starts responding, once the address to which browsers return is known. */
  open(redirectUri: string): void;
  close(): Promise<void>;
}

/** Lifetime of a code there: shorter than a login may take here. */
export const CODE_SECONDS = 300;

const DIALOG = '/oauth2/authorize/dialog';

const CLIENT = { id: 'independentClient', secret: 'independentClientSecret000000000000000001' };

/** Starts oidc-provider at the addresses of the waste platform, with its own login and consent pages. */
export async function startIndependentServer(): Promise<IndependentServer> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exchanges: number[] = [];
  return {
    url,
    client: CLIENT,
    exchanges,
    open(redirectUri) {
      listener = createProvider(url, redirectUri, exchanges).callback();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function createProvider(url: string, redirectUri: string, exchanges: number[]): Provider {
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    scopes: ['account'],
    routes: { authorization: DIALOG, token: '/oauth2/token' },
    cookies: { keys: ['key-of-the-test'] },
    ttl: { AuthorizationCode: CODE_SECONDS, AccessToken: 86_400, Grant: 86_400, Interaction: 3_600, Session: 86_400 },
    pkce: { methods: ['S256'], required: () => true },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  provider.use(async (context, next) => {
    if (context.method === 'POST' && context.path === '/') {
      const [, token = ''] = context.get('authorization').split(' ');
      const found = await provider.AccessToken.find(token);
      context.body = found === undefined ? UNAUTHENTICATED : { data: { me: person(found.accountId) } };
      return;
    }
    // The waste platform has no scopes, but this server gives no consent without one.
    if (context.path === DIALOG) context.query = { ...context.query, scope: 'account' };
    await next();
    if (context.path === '/oauth2/token') exchanges.push(context.status);
    // The waste platform sends no `iss`, and the gateway refuses one, which another test checks.
    const location = context.response.get('location');
    if (location.startsWith(redirectUri)) {
      const address = new URL(location);
      address.searchParams.delete('iss');
      context.set('location', address.href);
    }
  });
  return provider;
}

const UNAUTHENTICATED = { data: null, errors: [{ message: '', extensions: { code: 'UNAUTHENTICATED' } }] };

function person(id: string): object {
  return { id, email: `${id}@example.org`, name: id };
}
