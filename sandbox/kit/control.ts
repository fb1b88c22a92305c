import type { IncomingMessage } from 'node:http';
import { type Answer, jsonAnswer } from './answer.js';
import { BodyTooLarge, readBody } from './body.js';
import { FAULT_KINDS, isFaultKind } from './fault-kinds.js';
import type { Fault, SandboxService } from './types.js';

/** Path under which people and outside checks steer a service. Calls to it are not recorded. */
export const CONTROL_PATH = '/__sandbox';

type Controlled = Pick<
  SandboxService,
  'calls' | 'unknownPaths' | 'clearCalls' | 'fault' | 'clearFaults' | 'reset' | 'advance' | 'now' | 'era'
>;
/** What a command does with the JSON object that it was sent; what it returns is the answer. A throw is a 400. */
export type Command = (body: Record<string, unknown>) => unknown;

/** Commands by method and path below CONTROL_PATH, such as `POST /revoke`. */
export type Commands = Readonly<Record<string, Command>>;

/**
 * Answers a request below CONTROL_PATH: what a test says to the service object, said over HTTP.
 * @param own commands that this service has beside those of all
 */
export async function controlAnswer(
  request: IncomingMessage,
  service: Controlled,
  own: Commands = {},
): Promise<Answer> {
  const path = (request.url ?? '').slice(CONTROL_PATH.length).replace(/\?.*$/, '');
  const commands: Commands = { ...commandsOf(service), ...own };
  const command = commands[`${request.method} ${path}`];
  if (command === undefined) return jsonAnswer(404, { error: 'unknown command', commands: Object.keys(commands) });
  try {
    const text = (await readBody(request, 1024 * 1024)).toString();
    const body: unknown = text === '' ? {} : JSON.parse(text);
    if (typeof body !== 'object' || body === null) throw new TypeError('the body is a JSON object');
    return jsonAnswer(200, command({ ...body }) ?? { ok: true });
  } catch (error) {
    if (error instanceof BodyTooLarge) return jsonAnswer(413, { error: 'the body is too large' });
    return jsonAnswer(400, { error: error instanceof Error ? error.message : 'bad request' });
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
  const { kind, path, method, times, ms, status, bytes, headers, set } = body;
  if (!isFaultKind(kind)) throw new TypeError(`kind is one of ${Object.keys(FAULT_KINDS).join(', ')}`);
  return {
    kind,
    ...(typeof path === 'string' && { path }),
    ...(typeof method === 'string' && { method }),
    ...(typeof times === 'number' && { times }),
    ...(typeof ms === 'number' && { ms }),
    ...(typeof status === 'number' && { status }),
    ...(typeof bytes === 'number' && { bytes }),
    ...(isRecord(headers) && { headers: textValues(headers) }),
    ...(isRecord(set) && { set }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textValues(headers: Record<string, unknown>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}
