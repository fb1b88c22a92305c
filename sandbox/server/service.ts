import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import {
  type CallContext,
  type CallLog,
  CONTEXT,
  callLine,
  callOf,
  createCallLog,
  credentialHeaders,
  type Payload,
  pathOf,
} from './call.js';
import { type Commands, controlRoutes } from './control.js';
import {
  breakOff,
  closesConnection,
  createFaultList,
  type Dialect,
  type FaultList,
  type FaultsOfCall,
  isFromService,
  isOfSize,
  latencyOf,
  modifyReply,
  replyInstead,
  sendFaulty,
} from './faults.js';
import { sendProxyPage } from './proxy.js';
import { type Clock, createClock, createQuotaWindows, type QuotaWindows } from './quota.js';
import type { Era, Fault, SandboxCall, SandboxService } from './types.js';

/** The parts of a service. */
export interface ServiceOptions extends ListenOptions, Dialect {
  /** Name for the line on stderr about an unknown path. */
  readonly name: string;
  /** Adds routes, body parsers and hooks. Paths are from the root and compared without case. */
  readonly routes: (app: FastifyInstance) => void;
  /** Whether `/a/` is the same as `/a` (Express) or, by default, another path (fastify, work-study 2). */
  readonly ignoreTrailingSlash?: boolean;
  /** Appended to the origin in `url`, such as `/api`. */
  readonly basePath?: string;
  /** Name of the holder of the request's key: `operator`, …, `none` or `unknown`. */
  readonly keyName: (headers: IncomingHttpHeaders) => string;
  /** The service's reply to an unknown path or method. */
  readonly notFound: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** The service's refusal of a body that fastify did not read or parse; its own failure if omitted. */
  readonly unreadable?: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** Whether the limiter of a proxy in front of the service lets the call pass. */
  readonly admits?: (request: FastifyRequest) => boolean;
  /** Adds the headers that the service sets on every response of its own; returns the body to send. */
  readonly decorate?: (request: FastifyRequest, reply: FastifyReply, payload: Payload) => Payload;
  /** Compresses what is sent. */
  readonly compress?: (request: FastifyRequest, reply: FastifyReply, payload: Payload) => Payload;
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

/** Starts one service on 127.0.0.1: routes with a call log, faults, quota windows, a clock and control routes. */
export async function startService(options: ServiceOptions): Promise<SandboxService> {
  const clock = createClock(options.now);
  const state: ServiceState = {
    options,
    clock,
    calls: createCallLog(),
    faults: createFaultList(),
    quota: createQuotaWindows(clock.now),
    used: new WeakSet(),
    era: options.era ?? 'today',
  };
  const app = fastify({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: options.ignoreTrailingSlash ?? false,
      maxParamLength: 16 * 1024,
    },
    schemaController: NO_SCHEMAS,
    exposeHeadRoutes: false,
  });
  // One route for both, where fastify would add a second: routes are most of the cost of a start.
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('GET')) route.method = [...methods, 'HEAD'];
  });
  await app.register(async (scope) => serviceRoutes(scope, state));
  const service = createServiceObject(state, app.server);
  await app.register(async (scope) => controlRoutes(scope, service, options.commands), { prefix: '/__sandbox' });
  await app.ready();
  await service.startListening();
  return service;
}

/** For servers whose routes have no schemas: fastify then loads neither of its compilers. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } };

function noCompiler(): never {
  throw new Error('no route of the sandbox has a schema');
}

/** State that the calls of one service share. */
interface ServiceState {
  readonly options: ServiceOptions;
  readonly clock: Clock;
  readonly calls: CallLog;
  readonly faults: FaultList;
  readonly quota: QuotaWindows;
  /** Connections that have carried a call. */
  readonly used: WeakSet<Socket>;
  era: Era;
}

function createServiceObject(state: ServiceState, server: Server): SandboxService {
  const { options, clock, calls, faults, quota } = state;
  let port = options.port ?? 0;
  const service: SandboxService = {
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    get url() {
      return `${service.origin}${options.basePath ?? ''}`;
    },
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
    async startListening() {
      port = await listen(server, port);
    },
    stopListening: () => stop(server),
    close: () => stop(server),
  };
  return service;
}

/** Listens and returns the port. fastify's own `listen` works only once, but a service may stop and start again. */
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

/** The service's own routes, and what every call to it passes. */
function serviceRoutes(app: FastifyInstance, state: ServiceState): void {
  const { options, calls } = state;
  app.decorateRequest(CONTEXT, null);
  app.setNotFoundHandler((request, reply) => refuseUnknown(request, reply, options));
  app.setErrorHandler((error: FastifyError, request, reply) => refuseFailed(error, request, reply, options));
  app.addHook('onRequest', (request, reply, done) => {
    const call = openCall(request, state);
    const { method, key } = call;
    const faults = state.faults.take({ method, key, path: pathOf(request), reused: state.used.has(request.socket) });
    state.used.add(request.socket);
    followCall(call, reply.raw, faults.main, calls);
    const proceed = (): void => {
      const { era, clock, quota } = state;
      const context = { call, faults, era, now: clock.now(), isByProxy: false, take: quota.take };
      request.setDecorator<CallContext>(CONTEXT, context);
      if (!isReplied(request, reply, options)) done();
    };
    const latency = latencyOf(faults, reply.raw);
    if (latency === undefined) proceed();
    else latency.then(() => reply.raw.destroyed || proceed()).catch(done);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    const { call } = callOf(request);
    if (request.body !== undefined) {
      call.body = request.body;
      calls.changed(call);
    }
    done();
  });
  options.routes(app);
  app.addHook('onSend', (request, reply, payload: Payload, done) => {
    const { faults, isByProxy } = callOf(request);
    const isOwn = !isByProxy && isFromService(faults.main);
    const body = isOwn && options.decorate !== undefined ? options.decorate(request, reply, payload) : payload;
    const compress = isOfSize(faults.main) ? undefined : options.compress;
    const finish = (changed: Payload) => {
      // fastify would announce the length of a body that a 304 does not have.
      if (reply.statusCode === 304 || reply.statusCode === 204) done(null, null);
      else done(null, compress === undefined ? changed : compress(request, reply, changed));
    };
    if (faults.main === undefined && faults.modifiers.length === 0) finish(body);
    else spoil(reply, body, faults, finish).catch((error: Error) => reply.raw.destroy(error));
  });
}

/** Whether the call was replied to, or left without a reply, before it reached a route. */
function isReplied(request: FastifyRequest, reply: FastifyReply, options: ServiceOptions): boolean {
  const context = callOf(request);
  const { main } = context.faults;
  if (main !== undefined && breakOff(main, reply)) return true;
  if (options.admits?.(request) === false) {
    context.isByProxy = true;
    sendProxyPage(reply, 429, 'Too Many Requests');
    return true;
  }
  if (main !== undefined && replyInstead(main, request, reply, options)) return true;
  // Before anything reads its body.
  if (request.is404) refuseUnknown(request, reply, options);
  return request.is404;
}

/** Sends a reply with its faults: by itself if the transport has one, else by `finish`. */
async function spoil(
  reply: FastifyReply,
  payload: Payload,
  { main, modifiers }: FaultsOfCall,
  finish: (payload: Payload) => void,
): Promise<void> {
  const changed = await modifyReply(reply, payload, modifiers);
  const sent = main && sendFaulty(reply, changed, main);
  if (sent === undefined) finish(changed);
  else await sent;
}

/** Replies to an unknown path, which the call log shows, and `onUnknownPath` or a line on stderr. */
function refuseUnknown(request: FastifyRequest, reply: FastifyReply, options: ServiceOptions): FastifyReply {
  const { call } = callOf(request);
  call.unknownPath = true;
  const line = `sandbox ${options.name}: no such route: ${callLine(call)}`;
  if (options.onUnknownPath === undefined) process.stderr.write(`${line}\n`);
  else options.onUnknownPath(line);
  return options.notFound(request, reply);
}

/** Replies to a body that was refused. An error of the sandbox itself is written to stderr and becomes a 500. */
function refuseFailed(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, unreadable, failure }: ServiceOptions,
): FastifyReply {
  if (request.socket.destroyed) return reply.hijack();
  // fastify would close it, and a client that is still sending could miss the reply.
  reply.header('connection', request.headers.connection ?? 'keep-alive');
  if (unreadable !== undefined && error.code?.startsWith('FST_ERR_CTP_')) return unreadable(error, request, reply);
  process.stderr.write(`sandbox ${name}: ${callLine(callOf(request).call)} failed: ${error.stack}\n`);
  return failure(500, request, reply);
}

function openCall(
  { raw: { method = 'GET', url = '/', headers } }: FastifyRequest,
  { options, clock, calls }: ServiceState,
): SandboxCall {
  const call: SandboxCall = {
    traceparent: [headers['traceparent'] ?? []].flat()[0] ?? null,
    tracestate: [headers['tracestate'] ?? []].flat()[0] ?? null,
    method,
    url,
    key: options.keyName(headers),
    credentialHeaders: credentialHeaders(headers),
    at: clock.now(),
    body: null,
    status: null,
    aborted: false,
    unknownPath: false,
  };
  calls.open(call);
  return call;
}

/** Records how a call ends. */
function followCall(call: SandboxCall, response: ServerResponse, main: Fault | undefined, calls: CallLog): void {
  response.once('close', () => {
    if (!response.writableFinished && !closesConnection(main)) call.aborted = true;
    calls.changed(call);
  });
  // Before the last byte is sent, so that a client that has read the response finds the call in the log.
  response.once('prefinish', () => {
    call.status = response.statusCode;
    calls.changed(call);
  });
}
