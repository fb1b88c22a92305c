import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { type Log, SILENT } from '../../kernel/log.js';
import type { ServiceName } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { createSubgraphExecution } from '../../runtime/subgraph-execution.js';
import { isInseeCode, isPostalCode } from '../../subgraphs/codes/places.js';
import { isCfdCode, isRna, isRncpCode, isRomeCode, isSiren, isSiret } from '../../subgraphs/codes/registers.js';
import { SUBGRAPHS } from '../../subgraphs/registry.js';
import { openSharedParts } from '../../wiring/shared-parts.js';
import { createSubgraph } from '../../wiring/subgraphs.js';

/** Milliseconds for one probe, including the wait for the quota. */
const PROBE_MS = 60_000;

/** How often a field was requested, had a value, and had a malformed code or an unknown word as its value. */
export interface Filled {
  requested: number;
  filled: number;
  unreadable: number;
  /** Whether its values have fields themselves. */
  readonly holdsObjects: boolean;
}

/** A kind of call, how often it was sent, and the root fields that sent it. */
interface SentCalls {
  sent: number;
  readonly fields: Set<string>;
}

/** What a service's responses to its probes contained. */
export interface Observation {
  /** By `Type.field`. */
  readonly fields: Map<string, Filled>;
  /** Places with a value of another form than documented, and places with a word that no document has. */
  readonly drifted: Readonly<Record<'form' | 'word', Set<string>>>;
  /** Error codes, by the root field in which they occurred. */
  readonly errors: Map<string, Set<string>>;
  /** By kind, such as `GET /path/{id}`. */
  readonly calls: Map<string, SentCalls>;
  /** Why the service does not show everything that was asked for; null if it does. */
  detail: string | null;
}

/** An observation of nothing yet. */
export function createObservation(): Observation {
  return {
    fields: new Map(),
    drifted: { form: new Set(), word: new Set() },
    errors: new Map(),
    calls: new Map(),
    detail: null,
  };
}

/**
 * Fields that cost calls of their own, or wait for the export: the probes' own responses do not contain them. And one
 * that the gateway alone may select.
 */
const SKIPPED = new Set([
  'Mission.firstAddress',
  'Commune.joinCentre',
  'Organization.workplaces',
  'Organization.workplacesComplete',
  'Mission.communeMatch',
  'Mission.organization',
  'Mission.organizationUnknown',
  'Workplace.organization',
  'Workplace.organizationUnknown',
  'MissionLocale.organization',
  'MissionLocale.organizationUnknown',
  'Certificateur.organization',
  'Certificateur.organizationUnknown',
  'OrganismeEtablissement.organizationUnknown',
  'Company.workplaces',
  'Company.organization',
  'Company.organizationUnknown',
]);

/** Where and how a service is probed. */
export interface ProbeTarget {
  /** Its address and key, as variables that the product reads. */
  readonly env: Readonly<Record<string, string>>;
  /** Token of an account, for a service without an operator's key. */
  readonly token: string | null;
  /** Code of a certification that the service has. */
  readonly rncp: string;
}

/** Sends a service each of its probes once, in the way the subgraph would; adds what it sees to an observation. */
export async function observe(
  service: ServiceName,
  { env, token, rncp }: ProbeTarget,
  into = createObservation(),
): Promise<Observation> {
  const { fields, drifted, errors, calls } = into;
  const parts = openSharedParts(readConfiguration(service, { ...env, CACHE_DIR: 'off' }), null, hearDrift(drifted));
  const subgraph = createSubgraph(service, parts);
  const execute = createSubgraphExecution(subgraph, SILENT);
  const root = subgraph.schema.getQueryType();
  let next: string | null = null;
  for (const { field, args } of SUBGRAPHS[service].driftProbes) {
    const type = root?.getFields()[field]?.type;
    const named = type === undefined ? undefined : getNamedType(type);
    if (type === undefined || !isObjectType(named)) throw new Error(`${service} has no field ${field}.`);
    const given = args
      .replace('RNCP', () => rncp)
      .replace('NOW', new Date().toISOString())
      .replace('"NEXT"', JSON.stringify(next));
    const query = `{ ${field}${given} ${selectAll(named, SKIPPED)} }`;
    const response = await execute(
      { query },
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
            const known = calls.get(call) ?? { sent: 0, fields: new Set() };
            known.sent += sent;
            known.fields.add(`Query.${field}`);
            calls.set(call, known);
          },
        },
      },
    );
    for (const { extensions } of response.errors ?? []) {
      errors.set(field, (errors.get(field) ?? new Set()).add(String(extensions?.['code'])));
    }
    const value = response.data?.[field];
    next = endCursorOf(value);
    note(fields, `Query.${field}`, { type: named, value });
    walk(type, value, fields);
  }
  const { state, detail = null } = subgraph.status();
  into.detail = state === 'DEGRADED' ? detail : null;
  await subgraph.close();
  await parts.stores.close();
  return into;
}

function endCursorOf(value: unknown): string | null {
  const page = isRecord(value) ? value['pageInfo'] : null;
  return isRecord(page) && typeof page['endCursor'] === 'string' ? page['endCursor'] : null;
}

function walk(type: GraphQLOutputType, value: unknown, fields: Map<string, Filled>): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(type, item, fields);
    return;
  }
  const named = getNamedType(type);
  if (!isObjectType(named) || !isRecord(value)) return;
  for (const [name, below] of Object.entries(value)) {
    const field = named.getFields()[name];
    if (field === undefined) continue;
    note(fields, `${named.name}.${name}`, { type: getNamedType(field.type), value: below });
    walk(field.type, below, fields);
  }
}

function note(
  fields: Map<string, Filled>,
  place: string,
  { type, value }: { readonly type: GraphQLNamedType; readonly value: unknown },
): void {
  const known = fields.get(place) ?? { requested: 0, filled: 0, unreadable: 0, holdsObjects: isObjectType(type) };
  known.requested += 1;
  if (value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)) known.filled += 1;
  if (isUnreadable(type.name, value)) known.unreadable += 1;
  fields.set(place, known);
}

/** A log that collects the places that drifted. Malformed codes are not collected: all data has some. */
function hearDrift(drifted: Observation['drifted']): Log {
  const hear = (fields: object) => {
    const { place, kind } = fields as { place?: unknown; kind?: unknown };
    if (typeof place === 'string' && (kind === 'form' || kind === 'word')) drifted[kind].add(place);
  };
  return { ...SILENT, warn: hear };
}

/** Whether a text is a well-formed code, for each scalar of the graph. */
const CODES = new Map<string, (text: string) => boolean>([
  ['SIRET', isSiret],
  ['SIREN', isSiren],
  ['RNA', isRna],
  ['INSEECode', isInseeCode],
  ['PostalCode', isPostalCode],
  ['ROMECode', isRomeCode],
  ['RNCPCode', isRncpCode],
  ['CFDCode', isCfdCode],
]);

/** The graph's value for a word that no document has. */
const OTHER = 'OTHER';

/**
 * Whether a value of this type is a malformed code or an unknown word, or a list of nothing else. An empty text counts
 * as none.
 */
function isUnreadable(type: string, value: unknown): boolean {
  const isCode = CODES.get(type) ?? ((text: string) => text !== OTHER);
  const texts = [value].flat().filter((text) => typeof text === 'string' && text !== '') as string[];
  return texts.length > 0 && !texts.some(isCode);
}

/** No object of a service is nested deeper. */
const MAX_DEPTH = 8;

/**
 * A selection of all of a type's own fields: none with arguments, which are joins or other calls, none named in
 * `skips`, and no type within itself.
 */
export function selectAll(type: GraphQLObjectType, skips: ReadonlySet<string>, above: readonly string[] = []): string {
  const within = [...above, type.name];
  const parts = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.length > 0 || skips.has(`${type.name}.${field.name}`)) return [];
    return selectField(field, skips, within) ?? [];
  });
  return `{ ${parts.join(' ')} }`;
}

function selectField(
  { name, type }: GraphQLField<unknown, unknown>,
  skips: ReadonlySet<string>,
  above: readonly string[],
): string | null {
  const named = getNamedType(type);
  if (isLeafType(named)) return name;
  // A commune below another object is a join, with a call for each.
  if (!isObjectType(named) || named.name === 'Commune' || above.includes(named.name) || above.length >= MAX_DEPTH)
    return null;
  const below = selectAll(named, skips, above);
  return below === '{  }' ? null : `${name} ${below}`;
}
