import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createCallLog } from './call-log.js';
import { createClock } from './clock.js';
import { CONTROL_PATH, type Commands, controlReply } from './control.js';
import { createFaultList } from './faults.js';
import { createQuotaWindows } from './quota.js';
import type { Reply } from './reply.js';
import { createRouter, type Matching, type Route, type ServiceRequest } from './routes.js';
import { sendReply } from './send.js';
import { type ServiceState, serve } from './serve.js';
import type { Era, Fault, SandboxService } from './types.js';

/** The parts of a service. */
export interface ServiceOptions extends Partial<Matching>, ListenOptions {
  /** Name for the line on stderr about an unknown path. */
  readonly name: string;
  readonly routes: readonly Route[];
  /** Appended to the origin in `url`, such as `/api`. Routes name their path from the root. */
  readonly basePath?: string;
  /** Name of the holder of the request's key: `operator`, …, `none` or `unknown`. */
  readonly keyName: (headers: IncomingHttpHeaders) => string;
  /** The service's reply to an unknown path or method. */
  readonly notFound: (request: ServiceRequest) => Reply;
  /** The service's own reply with an error status, for the fault `status`. */
  readonly failure: (status: number, request: ServiceRequest) => Reply;
  /** The service's own 429, for the fault `rate-limit`. */
  readonly rateLimited: (request: ServiceRequest) => Reply;
  /** The reply of a proxy in front of the service; undefined to pass the call on. */
  readonly admit?: (request: ServiceRequest) => Reply | undefined;
  /** Adds the headers that the service sets on every response of its own. */
  readonly decorate?: (reply: Reply, request: ServiceRequest) => Reply;
  /** Smallest JSON body, in bytes, that is compressed if the client accepts it; none by default. */
  readonly gzipFrom?: number;
  /** Discards what clients wrote. */
  readonly onReset?: () => void;
  /** Control routes of this service alone. */
  readonly commands?: Commands;
}

/** Options for starting a service. */
export interface ListenOptions {
  /** Any free port if omitted. */
  readonly port?: number;
  /** `today` if omitted. */
  readonly era?: Era;
  /** Base of the movable clock; the machine's clock if omitted. */
  readonly now?: () => number;
  /** Called for each unknown path; by default, the line goes to stderr. */
  readonly onUnknownPath?: (line: string) => void;
}

/** fastify's default, long enough that only faults close sockets early. */
const KEEP_ALIVE_MS = 72_000;

/** Starts one service on 127.0.0.1: routes with a call log, faults, quota windows, a clock and control routes. */
export async function startService(options: ServiceOptions): Promise<SandboxService> {
  const clock = createClock(options.now);
  const state: ServiceState = {
    options,
    clock,
    calls: createCallLog(),
    faults: createFaultList(),
    quota: createQuotaWindows(clock.now),
    findRoute: createRouter(options.routes, { trailingSlash: options.trailingSlash ?? 'other' }),
    used: new WeakSet(),
    era: options.era ?? 'today',
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const isCommand = request.url?.startsWith(`${CONTROL_PATH}/`) === true;
    const ended = isCommand
      ? runCommand(request, response, { service, commands: options.commands })
      : serve(request, response, state);
    ended.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const port = await listen(server, options.port ?? 0);
  const service = createServiceObject(state, server, port);
  return service;
}

function createServiceObject(state: ServiceState, server: Server, port: number): SandboxService {
  const { options, clock, calls, faults, quota } = state;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}${options.basePath ?? ''}`,
    calls: calls.calls,
    callLines: () => calls.lines(),
    clearCalls: () => calls.clear(),
    get unknownPaths() {
      return calls.unknownPaths();
    },
    fault: (fault: Fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    get era() {
      return state.era;
    },
    set era(era: Era) {
      state.era = era;
    },
    now: clock.now,
    advance: clock.advance,
    reset() {
      quota.clear();
      calls.clear();
      faults.clear();
      options.onReset?.();
    },
    seen: (match) => calls.seen(match),
    stopListening: () => stop(server),
    async startListening() {
      await listen(server, port);
    },
    close: () => stop(server),
  };
}

/** Listens and returns the port. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the sandbox listens on a port'));
      else resolve(address.port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function runCommand(
  request: IncomingMessage,
  response: ServerResponse,
  { service, commands }: { service: SandboxService; commands: Commands | undefined },
): Promise<void> {
  const { signal } = new AbortController();
  const reply = await controlReply(request, service, commands);
  await sendReply(reply, undefined, { request, response, gzipFrom: Number.POSITIVE_INFINITY, signal });
}
