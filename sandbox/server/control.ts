import type { FastifyError, FastifyInstance } from 'fastify';
import { isRecord } from '../world/types.js';
import { paramsOf } from './call.js';
import { FAULT_KINDS, type Fault, isFaultKind, type SandboxService } from './types.js';

type Controlled = Pick<
  SandboxService,
  'calls' | 'unknownPaths' | 'clearCalls' | 'fault' | 'clearFaults' | 'reset' | 'advance' | 'now' | 'era'
>;
/** Runs a command with the JSON body; the return value is the reply, and an error becomes a 400. */
export type Command = (body: Record<string, unknown>) => unknown;

/** Commands by method and path below `/__sandbox`, such as `POST /revoke`. */
export type Commands = Readonly<Record<string, Command>>;

/**
 * Adds the control routes, which are not recorded as calls: the methods of the service object, over HTTP.
 * @param own commands of this service, in addition to those of all services
 */
export function controlRoutes(app: FastifyInstance, service: Controlled, own: Commands = {}): void {
  const commands: Commands = { ...commandsOf(service), ...own };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) =>
    body === '' ? {} : JSON.parse(body),
  );
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    reply.code(error.statusCode === 413 ? 413 : 400).send({ error: error.message }),
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/*',
    handler(request, reply) {
      const command = commands[`${request.method} /${paramsOf(request)['*']}`];
      if (command === undefined)
        return reply.code(404).send({ error: 'unknown command', commands: Object.keys(commands) });
      const { body = {} } = request;
      if (typeof body !== 'object' || body === null) throw new TypeError('the body is a JSON object');
      return command({ ...body }) ?? { ok: true };
    },
  });
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
