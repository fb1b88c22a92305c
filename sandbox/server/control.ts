import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, readBody } from './body.js';
import { FAULT_KINDS, isFaultKind } from './fault-kinds.js';
import { isRecord } from './is-record.js';
import { jsonReply, type Reply } from './reply.js';
import type { Fault, SandboxService } from './types.js';

/** Path of the control routes of a service. Calls to it are not recorded. */
export const CONTROL_PATH = '/__sandbox';

type Controlled = Pick<
  SandboxService,
  'calls' | 'unknownPaths' | 'clearCalls' | 'fault' | 'clearFaults' | 'reset' | 'advance' | 'now' | 'era'
>;
/** Runs a command with the JSON body; the return value is the reply, and an error becomes a 400. */
export type Command = (body: Record<string, unknown>) => unknown;

/** Commands by method and path below CONTROL_PATH, such as `POST /revoke`. */
export type Commands = Readonly<Record<string, Command>>;

/**
 * Handles a request below CONTROL_PATH: the methods of the service object, over HTTP.
 * @param own commands of this service, in addition to those of all services
 */
export async function controlReply(request: IncomingMessage, service: Controlled, own: Commands = {}): Promise<Reply> {
  const path = (request.url ?? '').slice(CONTROL_PATH.length).replace(/\?.*$/, '');
  const commands: Commands = { ...commandsOf(service), ...own };
  const command = commands[`${request.method} ${path}`];
  if (command === undefined) return jsonReply(404, { error: 'unknown command', commands: Object.keys(commands) });
  try {
    const text = (await readBody(request, 1024 * 1024)).toString();
    const body: unknown = text === '' ? {} : JSON.parse(text);
    if (typeof body !== 'object' || body === null) throw new TypeError('the body is a JSON object');
    return jsonReply(200, command({ ...body }) ?? { ok: true });
  } catch (error) {
    if (error instanceof BodyTooLarge) return jsonReply(413, { error: 'the body is too large' });
    return jsonReply(400, { error: error instanceof Error ? error.message : 'bad request' });
  }
}

function commandsOf(service: Controlled): Commands {
  return {
    'GET /calls': () => service.calls,
    'GET /unknown-paths': () => service.unknownPaths,
    'DELETE /calls': () => service.clearCalls(),
    'GET /faults': () => FAULT_KINDS,
    'POST /faults': (body) => {
      service.fault(checkFault(body));
    },
    'DELETE /faults': () => service.clearFaults(),
    'POST /reset': () => service.reset(),
    'POST /era': ({ era }) => {
      if (era !== 'today' && era !== 'seed') throw new TypeError('era is today or seed');
      service.era = era;
    },
    'POST /clock': ({ advanceMs }) => {
      if (typeof advanceMs !== 'number') throw new TypeError('advanceMs is a number of milliseconds');
      service.advance(advanceMs);
      return { now: service.now() };
    },
  };
}

function checkFault(body: Record<string, unknown>): Fault {
  const { kind, path, method, key, times, ms, status, bytes, headers, set } = body;
  if (!isFaultKind(kind)) throw new TypeError(`kind is one of ${Object.keys(FAULT_KINDS).join(', ')}`);
  return {
    kind,
    ...(typeof path === 'string' && { path }),
    ...(typeof method === 'string' && { method }),
    ...(typeof key === 'string' && { key }),
    ...(typeof times === 'number' && { times }),
    ...(typeof ms === 'number' && { ms }),
    ...(typeof status === 'number' && { status }),
    ...(typeof bytes === 'number' && { bytes }),
    ...(isRecord(headers) && { headers: textValues(headers) }),
    ...(isRecord(set) && { set }),
  };
}

function textValues(headers: Record<string, unknown>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}
