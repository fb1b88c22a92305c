import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it came over the wire, with all headers and its body: unlike the sandbox, this stores credentials. */
export interface CapturedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The platform's API host as far as the seed documents it: its token response, and who the token's user is. */
export interface TokenEndpoint {
  readonly url: string;
  readonly token: string;
  readonly user: { readonly email: string; readonly name: string };
  /** Token requests, in the order of arrival. */
  readonly exchanges: readonly CapturedRequest[];
  close(): Promise<void>;
}

/** Starts it on 127.0.0.1. It responds to every code with the same token, in the form of waste-identity 12.4.2. */
export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const token = 'access-token-of-the-contract-tests';
  const user = { email: 'camille@example.fr', name: 'Camille Roux' };
  const exchanges: CapturedRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      if (url !== '/oauth2/token') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data: { me: { id: 'user-1', ...user } } }));
        return;
      }
      exchanges.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      response.writeHead(200, {
        'content-type': 'application/json;charset=UTF-8',
        'cache-control': 'no-store',
        pragma: 'no-cache',
      });
      response.end(JSON.stringify({ access_token: token, token_type: 'bearer', user }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    user,
    exchanges,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
