import type { ParsedUrlQuery } from 'node:querystring';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { FaultsOfCall } from './faults.js';
import type { QuotaWindows } from './quota.js';
import type { Era, SandboxCall } from './types.js';

/** A body as fastify's `onSend` hooks see it. */
export type Payload = string | Buffer | Readable | null | undefined;

/** What the sandbox knows of a request on its way through a service. */
export interface CallContext {
  /** Its entry in the call log. */
  readonly call: SandboxCall;
  readonly faults: FaultsOfCall;
  readonly era: Era;
  /** The service's clock at its arrival, after any latency; milliseconds since 1970. */
  readonly now: number;
  /** Whether the reply is that of a proxy in front of the service. */
  isByProxy: boolean;
  /** Counts one call in a window of the service. */
  readonly take: QuotaWindows['take'];
}

/** Name of the request's decorator that holds its context. */
export const CONTEXT = 'sandboxCall';

/** The context of a request to a service. */
export function callOf(request: FastifyRequest): CallContext {
  return request.getDecorator<CallContext>(CONTEXT);
}

/** Path as received, without the query. */
export function pathOf({ raw: { url = '/' } }: FastifyRequest): string {
  return url.replace(/\?.*$/s, '');
}

/** The query's parameters: repeated ones are lists. */
export function queryOf(request: FastifyRequest): ParsedUrlQuery {
  return request.query as ParsedUrlQuery;
}

/** Values of the path's `:names`, percent-decoded. */
export function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.params as Record<string, string>;
}

/** The calls that one service received. */
export interface CallLog {
  readonly calls: readonly SandboxCall[];
  /** Records a call on arrival. */
  open(call: SandboxCall): void;
  /** Notifies waiting tests that a call has changed. */
  changed(call: SandboxCall): void;
  lines(): string[];
  unknownPaths(): string[];
  seen(match: (call: SandboxCall) => boolean): Promise<SandboxCall>;
  clear(): void;
}

/** Creates an empty call log. */
export function createCallLog(): CallLog {
  const calls: SandboxCall[] = [];
  const waiters = new Set<(call: SandboxCall) => void>();
  const changed = (call: SandboxCall): void => {
    for (const waiter of [...waiters]) waiter(call);
  };
  return {
    calls,
    open(call) {
      calls.push(call);
      changed(call);
    },
    changed,
    lines: () => calls.map(callLine).sort(),
    unknownPaths: () => calls.filter((call) => call.unknownPath).map(callLine),
    seen(match) {
      const already = calls.find(match);
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((resolve) => {
        const waiter = (call: SandboxCall): void => {
          if (!match(call)) return;
          waiters.delete(waiter);
          resolve(call);
        };
        waiters.add(waiter);
      });
    },
    clear() {
      calls.length = 0;
    },
  };
}

/** One call as a line: `GET /path?query key`. */
export function callLine(call: SandboxCall): string {
  return `${call.method} ${call.url} ${call.key}`;
}

const CREDENTIAL_HEADERS = ['apikey', 'authorization', 'cookie', 'proxy-authorization', 'x-api-key'];

/** Names of those headers that carry credentials. */
export function credentialHeaders(headers: Readonly<Record<string, unknown>>): string[] {
  return CREDENTIAL_HEADERS.filter((name) => headers[name] !== undefined);
}
