import { SERVICE_ENTRIES, type ServiceName, type ServiceVariable } from '../../kernel/services.js';
import { callersOf, variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { SUBGRAPHS } from '../../subgraphs/registry.js';
import { compare, comparePublished, type Drift } from './compare.js';
import { fetchDocument, missingRoutes } from './document.js';
import { type Observation, observe, type ProbeTarget } from './observe.js';
import { observePublished } from './published.js';

/** A live service. */
interface Live extends ProbeTarget {
  readonly service: ServiceName;
  /** Address of its OpenAPI document; null for none. */
  readonly openapi: string | null;
}

/** The result of probing a service: its drifts, or why it could not be probed. */
export type Verdict =
  | {
      readonly kind: 'probed';
      readonly drifts: readonly Drift[];
      readonly calls: number;
      readonly fields: number;
      /** Why the service did not show everything that was asked for; null if it did. */
      readonly detail: string | null;
    }
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
  say(`This makes ${price} calls to ${service}, for the root fields ${rootsOf(service)}.`);
  const seen = await observe(service, live);
  const failed = [...seen.errors].find(([field, codes]) => hasFailed(field, codes, seen));
  if (failed !== undefined) return { kind: 'not probed', reason: `${failed[0]}: ${[...failed[1]].join(', ')}` };
  const drifts = compare(seen, models);
  if (openapi !== null) {
    const document = await fetchDocument(openapi);
    if (document === null) return { kind: 'not probed', reason: 'the OpenAPI document cannot be read' };
    const published = await observePublished(document, seen.calls, (url, into) =>
      observe(service, at(live, url), into),
    );
    drifts.push(...missingRoutes(document, seen), ...comparePublished(published, models));
  }
  return { kind: 'probed', drifts, calls: countCalls(seen), fields: seen.fields.size, detail: seen.detail };
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
  return [...calls.values()].reduce((sum, { sent }) => sum + sent, 0);
}

function rootsOf(service: ServiceName): string {
  return [...new Set(SUBGRAPHS[service].driftProbes.map(({ field }) => field))].join(', ');
}

/** The same service at another address. */
function at({ service, env, token, rncp }: Live, url: string): ProbeTarget {
  const { variables, baseUrl } = SERVICE_ENTRIES[service];
  const table: Readonly<Record<string, ServiceVariable>> = variables;
  return { env: { ...env, [table[baseUrl]?.name ?? '']: url }, token, rncp };
}
