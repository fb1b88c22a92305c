import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from './answer.js';
import { readableBody, readBody } from './body.js';
import { type CallBook, callLine, credentialHeaders } from './calls.js';
import type { Clock } from './clock.js';
import { applyLatency, type FaultList, modifyAnswer, replacingAnswer, speaksAsService } from './faults.js';
import type { QuotaWindows } from './quota.js';
import type { createRouter, ServiceRequest } from './routes.js';
import { sendAnswer } from './send.js';
import type { ServiceOptions } from './service.js';
import type { Era, SandboxCall } from './types.js';

/** What the calls of one service share. */
export interface ServiceState {
  readonly options: ServiceOptions;
  readonly clock: Clock;
  readonly calls: CallBook;
  readonly faults: FaultList;
  readonly quota: QuotaWindows;
  readonly findRoute: ReturnType<typeof createRouter>;
  /** Connections that have carried a call. */
  readonly used: WeakSet<Socket>;
  era: Era;
}

/** fastify's default (work-study 2, "Request body limit"). */
const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Answers one call, well or as badly as the faults say, and enters it into the list of calls. */
export async function serve(incoming: IncomingMessage, response: ServerResponse, state: ServiceState): Promise<void> {
  const left = new AbortController();
  const serving: Serving = { state, call: openCall(incoming, state), signal: left.signal, cut: false };
  response.once('close', () => {
    left.abort();
    if (!response.writableFinished && !serving.cut) serving.call.aborted = true;
    state.calls.changed(serving.call);
  });
  // As soon as the route has said everything, and not when the last byte has left: a reader of the response finds the call listed.
  response.once('prefinish', () => {
    serving.call.status = response.statusCode;
    state.calls.changed(serving.call);
  });
  try {
    await answerCall(incoming, response, serving);
  } catch (error) {
    // A client that leaves ends waiting, dripping and streaming: nothing is left to be answered.
    if (!left.signal.aborted) throw error;
  }
}

interface Serving {
  readonly state: ServiceState;
  readonly call: SandboxCall;
  readonly signal: AbortSignal;
  /** Whether a fault closes the connection, so that its end says nothing about the client. */
  cut: boolean;
}

async function answerCall(incoming: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { state, call, signal } = serving;
  const { options } = state;
  const path = call.url.replace(/\?.*$/s, '');
  const { main, modifiers } = state.faults.take({ method: call.method, path, reused: state.used.has(incoming.socket) });
  state.used.add(incoming.socket);
  await applyLatency(modifiers, signal);
  switch (main?.kind) {
    case 'silent':
      return;
    case 'drop':
    case 'reset':
    case 'idle-close':
      serving.cut = true;
      if (main.kind === 'drop') response.socket?.destroy();
      else response.socket?.resetAndDestroy();
      return;
    case 'cut':
    case 'reset-mid-body':
    case 'wrong-length':
      serving.cut = true;
  }
  const match = state.findRoute(call.method, path, state.era);
  const request = createRequest(incoming, match?.params ?? {}, serving);
  const dialect = {
    failure: (status: number) => options.failure(status, request),
    rateLimited: () => options.rateLimited(request),
  };
  const byProxy = options.admit?.(request);
  const replaced = byProxy ?? (main && replacingAnswer(main, dialect));
  const answer = replaced ?? (await routeAnswer(match?.route.handle ?? missedBy(serving), request, serving));
  const isOwn = byProxy === undefined && speaksAsService(main);
  const decorated = isOwn ? (options.decorate?.(answer, request) ?? answer) : answer;
  const modified = await modifyAnswer(decorated, modifiers);
  await sendAnswer(modified, main, { request: incoming, response, gzipFrom: options.gzipFrom ?? Infinity, signal });
}

/** What the route answers; an error of the sandbox itself goes to stderr and looks like the service's 500. */
async function routeAnswer(
  handle: (request: ServiceRequest) => Answer | Promise<Answer>,
  request: ServiceRequest,
  { state, call, signal }: Serving,
): Promise<Answer> {
  try {
    return await handle(request);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`sandbox ${state.options.name}: ${callLine(call)} failed: ${reason}\n`);
    return state.options.failure(500, request);
  }
}

/** Answers an unknown path as the service does, and loudly: in the list of calls and on stderr. */
function missedBy({ state, call }: Serving): (request: ServiceRequest) => Answer {
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

function createRequest(incoming: IncomingMessage, params: Record<string, string>, serving: Serving): ServiceRequest {
  const { state, call } = serving;
  const question = call.url.indexOf('?');
  return {
    method: call.method,
    url: call.url,
    path: question < 0 ? call.url : call.url.slice(0, question),
    query: new URLSearchParams(question < 0 ? '' : call.url.slice(question + 1)),
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
