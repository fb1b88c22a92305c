import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readableBody, readBody } from './body.js';
import { type CallLog, callLine, credentialHeaders } from './call-log.js';
import type { Clock } from './clock.js';
import { applyLatency, type FaultList, faultReply, isFromService, modifyReply } from './faults.js';
import type { QuotaWindows } from './quota.js';
import type { Reply } from './reply.js';
import type { createRouter, ServiceRequest } from './routes.js';
import { sendReply } from './send.js';
import type { ServiceOptions } from './service.js';
import type { Era, SandboxCall } from './types.js';

/** State that the calls of one service share. */
export interface ServiceState {
  readonly options: ServiceOptions;
  readonly clock: Clock;
  readonly calls: CallLog;
  readonly faults: FaultList;
  readonly quota: QuotaWindows;
  readonly findRoute: ReturnType<typeof createRouter>;
  /** Connections that have carried a call. */
  readonly used: WeakSet<Socket>;
  era: Era;
}

/** fastify's default (work-study 2, "Request body limit"). */
const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Handles one call, with its faults, and records it in the call log. */
export async function serve(incoming: IncomingMessage, response: ServerResponse, state: ServiceState): Promise<void> {
  const left = new AbortController();
  const context: CallContext = { state, call: openCall(incoming, state), signal: left.signal, cut: false };
  response.once('close', () => {
    left.abort();
    if (!response.writableFinished && !context.cut) context.call.aborted = true;
    state.calls.changed(context.call);
  });
  // Before the last byte is sent, so that a client that has read the response finds the call in the log.
  response.once('prefinish', () => {
    context.call.status = response.statusCode;
    state.calls.changed(context.call);
  });
  try {
    await handleCall(incoming, response, context);
  } catch (error) {
    // A client that disconnects aborts waiting and streaming.
    if (!left.signal.aborted) throw error;
  }
}

interface CallContext {
  readonly state: ServiceState;
  readonly call: SandboxCall;
  readonly signal: AbortSignal;
  /** Whether a fault closes the connection, so that its end says nothing about the client. */
  cut: boolean;
}

async function handleCall(incoming: IncomingMessage, response: ServerResponse, context: CallContext): Promise<void> {
  const { state, call, signal } = context;
  const { options } = state;
  const path = call.url.replace(/\?.*$/s, '');
  const reused = state.used.has(incoming.socket);
  const { main, modifiers } = state.faults.take({ method: call.method, path, key: call.key, reused });
  state.used.add(incoming.socket);
  await applyLatency(modifiers, signal);
  switch (main?.kind) {
    case 'silent':
      return;
    case 'drop':
    case 'reset':
    case 'idle-close':
      context.cut = true;
      if (main.kind === 'drop') response.socket?.destroy();
      else response.socket?.resetAndDestroy();
      return;
    case 'cut':
    case 'reset-mid-body':
    case 'wrong-length':
      context.cut = true;
  }
  const match = state.findRoute(call.method, path, state.era);
  const request = createRequest(incoming, match?.params ?? {}, context);
  const dialect = {
    failure: (status: number) => options.failure(status, request),
    rateLimited: () => options.rateLimited(request),
  };
  const byProxy = options.admit?.(request);
  const replaced = byProxy ?? (main && faultReply(main, dialect));
  const reply = replaced ?? (await routeReply(match?.route.handle ?? unknownRoute(context), request, context));
  const isOwn = byProxy === undefined && isFromService(main);
  const decorated = isOwn ? (options.decorate?.(reply, request) ?? reply) : reply;
  const modified = await modifyReply(decorated, modifiers);
  await sendReply(modified, main, { request: incoming, response, gzipFrom: options.gzipFrom ?? Infinity, signal });
}

/** The route's reply. An error of the sandbox itself is written to stderr and becomes the service's 500. */
async function routeReply(
  handle: (request: ServiceRequest) => Reply | Promise<Reply>,
  request: ServiceRequest,
  { state, call, signal }: CallContext,
): Promise<Reply> {
  try {
    return await handle(request);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`sandbox ${state.options.name}: ${callLine(call)} failed: ${reason}\n`);
    return state.options.failure(500, request);
  }
}

/** Replies to an unknown path as the service does, and reports it in the call log and to `onUnknownPath` or stderr. */
function unknownRoute({ state, call }: CallContext): (request: ServiceRequest) => Reply {
  return (request) => {
    call.unknownPath = true;
    const line = `sandbox ${state.options.name}: no such route: ${callLine(call)}`;
    if (state.options.onUnknownPath === undefined) process.stderr.write(`${line}\n`);
    else state.options.onUnknownPath(line);
    return state.options.notFound(request);
  };
}

function openCall(incoming: IncomingMessage, state: ServiceState): SandboxCall {
  const call: SandboxCall = {
    traceparent: [incoming.headers['traceparent'] ?? []].flat()[0] ?? null,
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    key: state.options.keyName(incoming.headers),
    credentialHeaders: credentialHeaders(incoming.headers),
    at: state.clock.now(),
    body: null,
    status: null,
    aborted: false,
    unknownPath: false,
  };
  state.calls.open(call);
  return call;
}

function createRequest(
  incoming: IncomingMessage,
  params: Record<string, string>,
  context: CallContext,
): ServiceRequest {
  const { state, call } = context;
  const queryAt = call.url.indexOf('?');
  return {
    method: call.method,
    url: call.url,
    path: queryAt < 0 ? call.url : call.url.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? '' : call.url.slice(queryAt + 1)),
    params,
    headers: incoming.headers,
    address: incoming.socket.remoteAddress ?? '',
    key: call.key,
    era: state.era,
    now: state.clock.now(),
    async readBody(limit = DEFAULT_BODY_LIMIT) {
      const body = await readBody(incoming, limit);
      call.body = readableBody(body, incoming.headers['content-type']);
      state.calls.changed(call);
      return body;
    },
    take: (scope, limit, windowMs) => state.quota.take(scope, limit, windowMs),
  };
}
