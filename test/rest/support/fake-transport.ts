import {
  type Transport,
  TransportFailure,
  type TransportFailureKind,
  type WireRequest,
} from '../../../subgraphs/rest/ports/transport.js';

/** A request on the wire, which a test must answer. */
export interface OnTheWire {
  readonly request: WireRequest;
  /** Whether the toolkit closed the socket. */
  readonly closed: boolean;
  respond(body: unknown, status?: number, headers?: Record<string, string>): void;
  fail(kind: TransportFailureKind): void;
}

/** A wire without sockets: a test sees what is sent, and answers when it chooses. */
export interface FakeTransport extends Transport {
  readonly sent: OnTheWire[];
  /** Answers everything at once from now on; null waits for the test again. */
  respond: ((request: WireRequest) => { body: unknown; status?: number; headers?: Record<string, string> }) | null;
}

export function createFakeTransport(): FakeTransport {
  const transport: FakeTransport = {
    sent: [],
    respond: null,
    send(request, signal) {
      return new Promise((resolve, reject) => {
        let closed = false;
        signal.addEventListener('abort', () => {
          closed = true;
          reject(new TransportFailure('aborted', signal.reason));
        });
        const one: OnTheWire = {
          request,
          get closed() {
            return closed;
          },
          respond: (body, status = 200, headers = {}) =>
            resolve({ status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
          fail: (kind) => reject(new TransportFailure(kind)),
        };
        transport.sent.push(one);
        const response = transport.respond?.(request);
        if (response !== undefined) one.respond(response.body, response.status, response.headers);
      });
    },
    open: () => Promise.reject(new Error('Not part of this wire.')),
    close: async () => {},
  };
  return transport;
}
