import { isRecord } from '../../kernel/json.js';
import { SERVICE_ENTRIES, type ServiceName } from '../../kernel/services.js';
import { callersOf, variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { SUBGRAPHS } from '../../subgraphs/registry.js';
import { compare, type Drift } from './compare.js';
import { type Observation, observe, type ProbeTarget } from './observe.js';

/** A live service. */
interface Live extends ProbeTarget {
  readonly service: ServiceName;
  /** Address of its OpenAPI document; null for none. */
  readonly openapi: string | null;
}

/** The result of probing a service: its drifts, or why it could not be probed. */
export type Verdict =
  | { readonly kind: 'probed'; readonly drifts: readonly Drift[]; readonly calls: number; readonly fields: number }
  | { readonly kind: 'not probed'; readonly reason: string };

/** Codes of a whole probe that failed because of the service, or the way to it. */
const UNAVAILABLE = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'RATE_LIMITED',
  'SOURCE_OFF',
  'CREDENTIALS_REQUIRED',
  'CREDENTIALS_REJECTED',
  'PERMISSION_DENIED',
  'RECONNECT_REQUIRED',
  'DEADLINE_EXCEEDED',
]);

/** Compares a live service with the sandbox in both of its eras. `say` receives the price before anything is sent. */
export async function watchDrift(live: Live, say: (line: string) => void): Promise<Verdict> {
  const { service, openapi } = live;
  const models = [await observeModel(service, 'today'), await observeModel(service, 'seed')];
  const price = Math.max(...models.map(countCalls)) + (openapi === null ? 0 : 1);
  say(
    `This makes ${price} calls to ${service}, among them ${SUBGRAPHS[service].driftProbes.length} root fields: ${rootsOf(service)}.`,
  );
  const seen = await observe(service, live);
  const failed = [...seen.errors].find(([field, codes]) => hasFailed(field, codes, seen));
  if (failed !== undefined) return { kind: 'not probed', reason: `${failed[0]}: ${[...failed[1]].join(', ')}` };
  const drifts = compare(seen, models);
  if (openapi !== null) {
    const document = await fetchJson(openapi);
    if (document === null) return { kind: 'not probed', reason: 'the OpenAPI document cannot be read' };
    drifts.push(...missingRoutes(document, seen, rootFieldsOf(service)));
  }
  return { kind: 'probed', drifts, calls: countCalls(seen), fields: seen.fields.size };
}

const observed = new Map<string, Promise<Observation>>();

/** Observes a model once per process: it is always the same. */
function observeModel(service: ServiceName, era: 'today' | 'seed'): Promise<Observation> {
  const name = `${service} ${era}`;
  const known = observed.get(name) ?? observeSandbox(service, era);
  observed.set(name, known);
  return known;
}

/** At the default scale, where the sandbox has every word that it invents; a smaller one has them only by chance. */
async function observeSandbox(service: ServiceName, era: 'today' | 'seed'): Promise<Observation> {
  const sandbox: Sandbox = await startSandbox({ era });
  try {
    const needsToken = SERVICE_ENTRIES[service].credential.kind === 'token';
    const token = needsToken ? callersOf(sandbox).credentials[service] : null;
    return await observe(service, { env: variablesOf(sandbox), token, rncp: certificationIn(sandbox) });
  } finally {
    await sandbox.close();
  }
}

/** RNCP code of a certification that the sandbox has. */
export function certificationIn({ world }: Sandbox): string {
  const codes = world.certifications.flatMap(
    ({ identifiant }) => (identifiant as { rncp?: string } | undefined)?.rncp ?? [],
  );
  return codes[0] ?? '';
}

/** Whether a probe failed for a reason other than its response. */
function hasFailed(field: string, codes: ReadonlySet<string>, { fields }: Observation): boolean {
  return fields.get(`Query.${field}`)?.filled === 0 && [...codes].every((code) => UNAVAILABLE.has(code));
}

function countCalls({ calls }: Observation): number {
  return [...calls.values()].reduce((sum, sent) => sum + sent, 0);
}

function rootFieldsOf(service: ServiceName): string[] {
  return SUBGRAPHS[service].driftProbes.map(({ field }) => `Query.${field}`);
}

function rootsOf(service: ServiceName): string {
  return SUBGRAPHS[service].driftProbes.map(({ field }) => field).join(', ');
}

/** Time limit in milliseconds, for a document that no caller waits for. */
const DOCUMENT_MS = 10_000;
const DOCUMENT_BYTES = 16 * 1024 * 1024;

async function fetchJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOCUMENT_MS) });
    if (!response.ok || response.body === null) return null;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > DOCUMENT_BYTES) return null;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return null;
  }
}

/**
 * Routes that the code calls and that a published OpenAPI document lacks. Names of path parameters are ignored, as is
 * the part of the address before the paths.
 */
function missingRoutes(document: unknown, { calls }: Observation, rootFields: readonly string[]): Drift[] {
  const paths = isRecord(document) && isRecord(document['paths']) ? document['paths'] : {};
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    isRecord(methods) ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`) : [],
  );
  return [...calls.keys()].flatMap((call): Drift[] => {
    const [method = '', path = ''] = call.split(' ');
    const shape = shapeOf(path);
    const isKnown = documented.some((route) => {
      const [of = '', at = ''] = route.split(' ');
      return of === method && (shape.endsWith(at) || at.endsWith(shape));
    });
    if (isKnown) return [];
    return [{ kind: 'route', fields: rootFields, message: `the published OpenAPI has no ${call}` }];
  });
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}|:\w+/g, '{}').replace(/\/+$/, '');
}
