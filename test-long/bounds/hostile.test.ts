import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { HOSTILE_REQUESTS } from '../../test/bounds/hostile-requests.js';
import { cacheTable } from '../../test/bounds/support/cache-table.js';
import { type MeteredStack, startMeteredStack } from '../../test/bounds/support/metered-stack.js';
import { learnResponse, type SmallOperation } from '../../test/bounds/support/neighbour.js';
import { queryBody, type Received, send } from '../../test/bounds/support/send.js';
import { learnSmallOperations } from '../../test/bounds/support/small-operations.js';
import { openWatch, type Watch } from '../../test/bounds/support/watch.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from '../../test/bounds/support/worst-operations.js';
import { POLLING } from '../../test/polling.js';

/** In units of the calibrating work, of about ten milliseconds each: three times the slowest of these requests. */
const LONGEST_STALL = 20;
/** Peak memory of a refusal, garbage included, and what it may leave behind. */
const PEAK_MB = 80;
const HELD_MB = 8;
const REFUSAL_BYTES = 4_000;

/** Long enough for a busy machine to make each response. */
const DEADLINE_MS = '20000';

let stack: MeteredStack;
let smallOperations: readonly SmallOperation[];

const LEAVING = 120;
/** How long a client stays. */
const STAY_MS = 1;
const WAITING = 1_000;
/** Of the server's work while three small queries are answered. */
const IDLE_MS = 10;
/** In units of the calibrating work, of five to ten milliseconds: 16 if all start in one turn, 14 if all end in one. */
const LONGEST_TURN = 10;

const JOINS =
  'query($city: [String!]) { missions(first: 500, city: $city) { nodes { id title communeMatch { method } commune { nom } organization { title } } } }';
const bodyOf = (client: number) => queryBody(JOINS, { city: ['Rouen', `${client}`] });

/** No request needs the export, which takes two thirds of the start. */
const withoutExport = ({ workStudy }: MeteredStack['sandbox']) =>
  workStudy.fault({ kind: 'status', path: '/api/job/v1/export', status: 403 });

beforeAll(async () => {
  stack = await startMeteredStack(
    { TRUSTED_PROXIES: '127.0.0.1', REQUEST_DEADLINE_MS: DEADLINE_MS },
    [],
    false,
    withoutExport,
  );
});

afterAll(() => stack?.close());

test('Joins whose clients leave at once, right after a start, keep nobody waiting', async () => {
  const { url } = stack.server;
  const watch = await openWatch(stack.server, [await learnResponse(url, queryBody('{ __typename }'))]);
  const { stall, neighbour, result } = await watch(async () => {
    const sockets = await Promise.all(Array.from({ length: LEAVING }, () => open(url)));
    for (const [at, socket] of sockets.entries()) socket.write(postOf(bodyOf(at)));
    await pause(STAY_MS);
    for (const socket of sockets) socket.destroy();
    // Its turn comes after theirs.
    return send(url, { body: bodyOf(LEAVING), headers: { 'x-forwarded-for': '192.0.2.1' } });
  });
  expect(result.status).toBe(200);
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_TURN);
});

test('A thousand calls that wait, and whose clients leave at once, keep nobody waiting', async () => {
  const { url } = stack.server;
  const watch = await openWatch(stack.server, [await learnResponse(url, queryBody('{ __typename }'))]);
  const sockets = await Promise.all(Array.from({ length: WAITING }, () => open(url)));
  const release = holdCalls();
  for (const [at, socket] of sockets.entries())
    socket.write(postOf(queryBody(`{ missions(city: "${at}") { totalCount } }`)));
  await vi.waitFor(expectIdle, POLLING);
  const { stall, neighbour } = await watch(async () => {
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(expectIdle, POLLING);
  });
  release();
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_TURN);
});

/** Caches that exist only in production against the real service, and only where subgraphs run apart. */
const ELSEWHERE = new Set(['plans']);

/** The service has no writes. */
const NO_SUCH_CACHE = 'last-writes volunteering';

/** Not before those tests: the first of them asks a server that has just started. */
describe('Once caches are full,', () => {
  beforeAll(async () => {
    smallOperations = await learnSmallOperations(stack);
    // Their contents are bounded elsewhere.
    await send(stack.server.url, { body: queryBody('{ missions(first: 5869) { nodes { description } } }') });
  });
  describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
    test('large lists and a new document at once, all others are answered right and no turn is long', async () => {
      const watch = await openWatch(stack.server, smallOperations);
      const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS];
      const { stall, neighbour, result } = await watch(() =>
        Promise.all(
          bodies.map((body) => send(stack.server.url, { body, headers: { 'x-forwarded-for': '192.0.2.1' } })),
        ),
      );
      expect(result.map(({ status }) => status)).toEqual(bodies.map(() => 200));
      expect(neighbour.wrong).toEqual([]);
      expect(stall).toBeLessThan(LONGEST_TURN);
    });
  });

  describe('A hostile request hurts nobody', () => {
    let watch: Watch;
    beforeAll(async () => {
      watch = await openWatch(stack.server, smallOperations);
    });

    test.for(HOSTILE_REQUESTS)('$name', async (request) => {
      const { sent, status, code, errors = 1, bytes = REFUSAL_BYTES, peakMb = PEAK_MB } = request;
      const seen = await watch(() => send(stack.server.url, sent));
      const reported = errorsOf(seen.result);
      expect({ status: seen.result.status, code: reported[0]?.extensions?.code ?? null }).toEqual({ status, code });
      expect(seen.result.headers['x-content-type-options']).toBe('nosniff');
      expect(reported.length).toBeLessThanOrEqual(errors);
      expect(seen.result.bytes).toBeLessThanOrEqual(bytes);
      expect(seen.stall).toBeLessThan(LONGEST_STALL);
      expect(seen.peakMb).toBeLessThan(peakMb);
      expect(seen.heldMb).toBeLessThan(HELD_MB);
      expect(seen.neighbour.wrong).toEqual([]);
    });
  });
});

test('What only introspects, and what the library has to execute, is answered too', async () => {
  const dataOf = async (query: string) =>
    JSON.parse((await send(stack.server.url, { body: queryBody(query) })).text).data;
  const introspected = { s: { queryType: { siret: 'Query' } }, siret: 'Query' };
  const query = 's: __schema { queryType { siret: name } } siret: __typename';
  expect(await dataOf(`{ ${query} }`)).toEqual(introspected);
  const mixed = await dataOf(`{ ${query} commune(insee: "76540") { siret: nom } }`);
  expect(mixed).toEqual({ ...introspected, commune: { siret: 'Rouen' } });
});

test('The caches that metrics report are those of the table for operators, with the same bounds', async () => {
  const reported = await stack.server.caches();
  const expected = cacheTable()
    .filter(({ name }) => !ELSEWHERE.has(name))
    .flatMap(({ name, where, boundBytes }) =>
      (where === 'service' ? SERVICES : [where]).map((place) => ({ cache: `${name} ${place}`, boundBytes })),
    )
    .filter(({ cache }) => cache !== NO_SUCH_CACHE);
  expect(new Set(reported.map(({ cache, boundBytes }) => ({ cache, boundBytes })))).toEqual(new Set(expected));
  expect(reported.every(({ bytes }) => bytes >= 0)).toBe(true);
});

/** Calls to the volunteering service are not answered until the returned function is called. */
function holdCalls(): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const end = stack.sandbox.volunteering.fault({ kind: 'latency', key: 'operator', until });
  return () => {
    end();
    release();
  };
}

/** Whether what has arrived has been worked on as far as it can be. */
async function expectIdle(): Promise<void> {
  const { server } = stack;
  await server.note();
  for (let time = 0; time < 3; time++) await send(server.url, { body: queryBody('{ __typename }') });
  const notes = await server.noted();
  expect((notes.at(-1) ?? 0) - (notes[1] ?? 0)).toBeLessThan(IDLE_MS);
}

async function open(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function postOf(body: string, connection = 'keep-alive'): string {
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'x-forwarded-for: 192.0.2.1',
    'content-type: application/json',
    `connection: ${connection}`,
  ];
  return `${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

interface ReportedError {
  readonly extensions?: { readonly code?: string };
}

function errorsOf({ text, headers }: Received): readonly ReportedError[] {
  if (String(headers['content-type']).startsWith('text/csv')) return [];
  const { errors = [] } = JSON.parse(text) as { errors?: ReportedError[] };
  return errors;
}
