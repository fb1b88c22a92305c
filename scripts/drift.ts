// `npm run drift -- --service NAME [--url URL] [--openapi URL]`: whether a live service still is as the code expects.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { parse } from 'yaml';
import { declaredField } from '../kernel/declared-field.js';
import { type Log, SILENT } from '../kernel/log.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, type ServiceVariable } from '../kernel/services.js';
import { isRecord } from '../kernel/text.js';
import { readConfiguration } from '../runtime/configuration/configuration.js';
import { createSubgraphExecution } from '../runtime/subgraph-execution.js';
import { SUBGRAPHS } from '../subgraphs/registry.js';
import { createSubgraph, openSharedParts } from '../wiring/subgraphs.js';

const USAGE = `npm run drift -- --service NAME [--url URL] [--openapi URL]
  --service  ${SERVICES.join(', ')}
  --url      address of the service; by default the one in the variables that the product reads
  --openapi  its OpenAPI document, JSON or YAML, to look for routes that are gone or new
Ends with 0 without drift, 1 with drift, 2 if the service could not be probed.`;
const EXIT = { none: 0, drift: 1, notProbed: 2 } as const;

/** Milliseconds for one probe, including the wait for the quota; and for a document. */
const PROBE_MS = 60_000;
const DOCUMENT_MS = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;
type Out = Pick<Console, 'log' | 'error'>;

/**
 * Runs `npm run drift` with these arguments and this environment. Returns its exit code: 0 without drift, 1 with drift,
 * 2 if the service could not be probed.
 */
export async function runDrift(args: readonly string[], env: Environment, out: Out): Promise<number> {
  try {
    return await probeService(args, env, out);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isOfArguments = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
    return isOfArguments ? cannot(out, `${reason.split('. ')[0]}.\n${USAGE}`) : cannot(out, reason);
  }
}

async function probeService(args: readonly string[], given: Environment, out: Out): Promise<number> {
  const text = { type: 'string' } as const;
  const help = { type: 'boolean', short: 'h', default: false } as const;
  const { values } = parseArgs({ args: [...args], options: { service: text, url: text, openapi: text, help } });
  if (values.help) {
    out.log(USAGE);
    return EXIT.none;
  }
  const service = SERVICES.find((name) => name === values.service);
  if (service === undefined) return cannot(out, `--service is one of ${SERVICES.join(', ')}`);
  const entry = SERVICE_ENTRIES[service];
  const table: Readonly<Record<string, ServiceVariable>> = entry.variables;
  // Those without a default: what is probed are documented routes.
  const variables = Object.values(table).flatMap(({ name, byDefault }) => (byDefault === undefined ? [name] : []));
  const address = table[entry.baseUrl]?.name ?? '';
  const set = Object.fromEntries(variables.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
  const env: Record<string, string> = { ...set, ...(values.url !== undefined && { [address]: values.url }) };
  const missing = variables.filter((name) => !env[name]);
  if (missing.length > 0) return cannot(out, `${missing.join(', ')} must be set`);
  if (service === 'work-study' && !/\/api\/*$/.test(env[address] ?? ''))
    out.error(`${address} does not end with /api, below which the service has all its routes.`);
  // The token of an account at the service's platform; no other service receives it.
  const needsToken = entry.credential.kind === 'token';
  const token = (needsToken && given['DRIFT_TOKEN']) || null;
  if (needsToken && token === null) return cannot(out, 'DRIFT_TOKEN must be the token of an account');

  out.log(`This reads ${SUBGRAPHS[service].driftProbes.map(({ field }) => field).join(', ')} of ${service}.`);
  const { drifts, calls, detail } = await observe(service, env, token);
  out.log(`${[...calls.values()].reduce((sum, sent) => sum + sent, 0)} calls were made.`);
  const routes = values.openapi === undefined ? null : await fetchRoutes(values.openapi);
  const gone = routes === null ? [] : [...calls.keys()].filter((call) => !routes.some((route) => isSame(route, call)));
  const unread = (routes ?? []).filter((route) => ![...calls.keys()].some((call) => isSame(route, call)));
  for (const [place, kind] of drifts) out.log(`${kind}: ${place}`);
  for (const call of gone) out.log(`route: the published OpenAPI has no ${call}`);
  if (unread.length > 0) out.log(`The published OpenAPI also has ${unread.join(', ')}.`);
  // Public data has undocumented words and malformed codes on any day.
  const count = [...drifts.values()].filter((kind) => kind === 'form').length + gone.length;
  if (detail !== null && count === 0) return cannot(out, `all of ${service}: ${detail}`);
  out.log(count === 0 ? 'No drift.' : `${count} drifts.`);
  return count === 0 ? EXIT.none : EXIT.drift;
}

function cannot(out: Out, reason: string): number {
  out.error(`Could not probe: ${reason}.`);
  return EXIT.notProbed;
}

/** What a service's responses to its probes contained. */
interface Observation {
  /** Places that are not as `shape()` expects, such as `Mission.title`, and of what kind: `form`, `word` or `code`. */
  readonly drifts: Map<string, string>;
  /** How often each kind of call was sent, such as `GET /path/{id}`. */
  readonly calls: Map<string, number>;
  /** Why the service did not show everything that was asked for; null if it did. */
  detail: string | null;
}

/** Error codes that depend on the response, not on the caller or the day. */
const OF_RESPONSES = new Set(['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_REFUSED_INPUT', 'INTERNAL']);

/**
 * Sends a service each of its probes once, in the way the subgraph would, and selects all that it sends. Rejects if one
 * of them was not answered.
 */
async function observe(service: ServiceName, env: Environment, token: string | null): Promise<Observation> {
  const seen: Observation = { drifts: new Map(), calls: new Map(), detail: null };
  const log: Log = {
    ...SILENT,
    warn(fields) {
      const { place, kind } = fields as { place?: unknown; kind?: unknown };
      if (typeof place === 'string') seen.drifts.set(place, String(kind));
    },
  };
  const parts = openSharedParts(readConfiguration(service, { ...env, CACHE_DIR: 'off' }), null, log);
  const subgraph = createSubgraph(service, parts);
  const execute = createSubgraphExecution(subgraph, SILENT);
  try {
    for (const { field, args } of SUBGRAPHS[service].driftProbes) {
      const type = getNamedType(subgraph.schema.getQueryType()?.getFields()[field]?.type);
      if (!isObjectType(type)) throw new Error(`${service} has no field ${field}`);
      const response = await execute(
        { query: `{ ${field}${args} ${selectAll(type, SKIPPED)} }` },
        {
          requestId: 'drift',
          request: {},
          deadline: { remainingMs: () => PROBE_MS },
          signal: AbortSignal.timeout(PROBE_MS),
          credential: token === null ? null : parts.mintCredential(token),
          internal: false,
          planNode: '',
          recorder: {
            elapsedMs: () => 0,
            readStored() {},
            forbidCaching() {},
            record({ method, path, sent = 0 }) {
              const call = `${method} ${path}`;
              seen.calls.set(call, (seen.calls.get(call) ?? 0) + sent);
            },
          },
        },
      );
      const codes = (response.errors ?? []).map(({ extensions }) => String(extensions?.['code']));
      if (codes.some((code) => OF_RESPONSES.has(code))) {
        if (response.data?.[field] == null) seen.drifts.set(`Query.${field}`, 'form');
      } else if (codes.length > 0 && response.data?.[field] == null) throw new Error(`${field}: ${codes.join(', ')}`);
    }
    const { state, detail = null } = subgraph.status();
    return { ...seen, detail: state === 'DEGRADED' ? detail : null };
  } finally {
    await subgraph.close();
    await parts.stores.close();
  }
}

/** Two fields that wait for geography, though they declare no price, and one that the gateway alone may select. */
const SKIPPED = new Set(['Commune.joinCentre', 'Mission.communeMatch', 'Mission.firstAddress']);

/** No object of a service is nested deeper. */
const MAX_DEPTH = 8;

/**
 * A selection of all of a type's own fields: none with arguments or a price, which are joins or other calls, none named
 * in `skips`, and no type within itself.
 */
export function selectAll(type: GraphQLObjectType, skips: ReadonlySet<string>, above: readonly string[] = []): string {
  const within = [...above, type.name];
  const selections = Object.values(type.getFields()).flatMap((field) => {
    const [isCall, named] = [field.args.length > 0 || declaredField(field).price !== null, getNamedType(field.type)];
    if (isCall || skips.has(`${type.name}.${field.name}`)) return [];
    if (isLeafType(named)) return field.name;
    // A commune below another object is a join, with a call for each.
    if (!isObjectType(named) || named.name === 'Commune' || within.includes(named.name)) return [];
    const below = within.length < MAX_DEPTH ? selectAll(named, skips, within) : NO_FIELDS;
    return below === NO_FIELDS ? [] : `${field.name} ${below}`;
  });
  return `{ ${selections.join(' ')} }`;
}

const NO_FIELDS = '{  }';

/** The routes of a published OpenAPI document, such as `GET /path/{id}`. Rejects if it cannot be read. */
async function fetchRoutes(url: string): Promise<string[]> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOCUMENT_MS) });
    const document: unknown = parse(await response.text());
    if (!isRecord(document) || !isRecord(document['paths'])) throw new Error('It has no paths.');
    return Object.entries(document['paths']).flatMap(([path, methods]) =>
      Object.keys(isRecord(methods) ? methods : {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
  } catch {
    throw new Error('the OpenAPI document cannot be read');
  }
}

/** Whether two routes are the same, whatever their parameters are called and wherever below the address they begin. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((route) =>
    route
      .replaceAll(/\{[^}]*\}|:\w+/g, '{}')
      .replace(/\/+$/, '')
      .split(' '),
  );
  const [aPath = '', bPath = ''] = [a?.[1], b?.[1]];
  return a?.[0] === b?.[0] && (aPath.endsWith(bPath) || bPath.endsWith(aPath));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The toolkit's timers do not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  process.exitCode = await runDrift(process.argv.slice(2), process.env, console);
  clearInterval(alive);
}
