import {
  SERVICE_ENTRIES,
  SERVICES,
  type ServiceName,
  type ServiceVariable,
  subgraphAddress,
} from '../../kernel/services.js';
import { defaultPort, defaultTraceName, type Role } from './role.js';

/** One environment variable, as `--help` explains it. */
interface Variable {
  readonly name: string;
  /** In words, for `--help`. */
  readonly byDefault: string;
  readonly meaning: string;
  /** Whether its value is never printed. */
  readonly secret?: true;
}

/** Default of the variables that services need: the sandbox, if none of them is set. */
const SANDBOX = 'sandbox; off in production, and where another of these is set';

type Entries = typeof SERVICE_ENTRIES;

/** The variables of one service, by what they set. */
export type ServiceVariables<S extends ServiceName> = Entries[S]['variables'];

/** The name of a variable of one service. */
export type ServiceVariableName = {
  [S in ServiceName]: { [K in keyof ServiceVariables<S>]: NameOf<ServiceVariables<S>[K]> }[keyof ServiceVariables<S>];
}[ServiceName];

type NameOf<V> = V extends { readonly name: infer N extends string } ? N : never;

/** The variables of a service, by what they set. */
export function variablesOf(
  service: ServiceName,
): Readonly<Record<string, ServiceVariable & { readonly name: ServiceVariableName }>> {
  return SERVICE_ENTRIES[service].variables;
}

/** The variables of a service that it needs, or those that have a default. */
function upstreamVariables(service: ServiceName, areNeeded: boolean) {
  const all = Object.values(variablesOf(service)).filter(({ byDefault }) => (byDefault === undefined) === areNeeded);
  return all.map(({ name, kind, meaning, byDefault = SANDBOX }) => ({
    name,
    byDefault,
    meaning,
    ...((kind === 'key' || kind === 'secret') && { secret: true as const }),
  }));
}

function addressVariable(service: ServiceName) {
  return {
    name: SERVICE_ENTRIES[service].addressVariable,
    byDefault: `in process; for a separate gateway ${subgraphAddress(service)}`,
    meaning: `where the gateway finds ${service}`,
  };
}

/** What every installation in production sets. */
const NEEDED = [
  {
    name: 'NODE_ENV',
    byDefault: 'development',
    meaning:
      'production, development or test; production never starts the sandbox, needs SESSION_SECRET, and has the page, introspection and trace off unless they are switched on',
  },
  ...SERVICES.flatMap((service) => upstreamVariables(service, true)),
  {
    name: 'PUBLIC_URL',
    byDefault: 'from host and port',
    meaning:
      'origin that browsers see; redirect URIs are built from it; in production beyond loopback it must be https, and is needed if users log in',
  },
  {
    name: 'SESSION_SECRET',
    byDefault: 'random per start',
    meaning:
      'the one root secret, 32 characters or more; a list rotates (operators 2); needed in production and with CACHE_URL',
    secret: true,
  },
] as const satisfies readonly Variable[];

/** What many installations set. */
const USUAL = [
  {
    name: 'PORT',
    byDefault: `4000; ${SERVICES.map(defaultPort).join(', ')} for separate subgraphs`,
    meaning: 'port of the listener',
  },
  { name: 'HOST', byDefault: '127.0.0.1', meaning: 'address of the listener' },
  {
    name: 'CACHE_URL',
    byDefault: 'embedded',
    meaning: 'redis://… shares cache, sessions and quota between processes',
    secret: true,
  },
  {
    name: 'CACHE_DIR',
    byDefault: '.cache in the project',
    meaning:
      'folder where reference data and the export survive a restart (never those of the sandbox); with `off` nothing does: the export of a real service, of about 1 GB, is then in the temporary folder as long as the process runs',
  },
  {
    name: 'TRUSTED_PROXIES',
    byDefault: 'none',
    meaning: 'addresses or networks, separated by commas, whose X-Forwarded-For is trusted',
  },
  {
    name: 'CORS_ORIGINS',
    byDefault: 'none',
    meaning:
      'origins, separated by commas, whose pages may call the gateway and be returned to after a login, exactly as browsers send them: `https://site.example`, `capacitor://localhost`; `https://*.preview.site.example` stands for every one with one label in place of the star',
  },
  { name: 'GRAPHIQL', byDefault: 'on; off in production', meaning: 'the analyst page: on or off' },
  {
    name: 'SAFELIST',
    byDefault: 'off',
    meaning:
      'manifests of allowed operations: paths of files, and of folders whose `.json` files are manifests, separated by commas',
  },
  { name: 'LOG_LEVEL', byDefault: 'info', meaning: 'trace, debug, info, warn, error, fatal or silent' },
  {
    name: 'METRICS_PORT',
    byDefault: 'off',
    meaning: 'port of a separate listener for Prometheus, other than PORT',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    byDefault: 'off',
    meaning: 'where traces are sent: base address of an OpenTelemetry receiver (OTLP over HTTP, JSON)',
  },
] as const satisfies readonly Variable[];

/** What a gateway and subgraphs in processes of their own need. */
const BY_SHAPE = [
  ...SERVICES.map(addressVariable),
  {
    name: 'SUBGRAPH_TOKEN',
    byDefault: 'none',
    meaning:
      'secret shared by the gateway and separate subgraphs, which then serve nobody without it and need it beyond loopback; of several, separated by commas, the first is sent and all are accepted; without it nobody can log in, and traces, call limits and `Cache-Status` miss the calls of the subgraphs (operators 4)',
    secret: true,
  },
] as const satisfies readonly Variable[];

const RARE = [
  ...SERVICES.flatMap((service) => upstreamVariables(service, false)),
  {
    name: 'CACHE_PREFIX',
    byDefault: 'passerelle',
    meaning: 'what every key there begins with, before a colon, so that others may use the same Redis',
  },
  {
    name: 'REQUEST_DEADLINE_MS',
    byDefault: '25000',
    meaning: 'milliseconds that one request may take, queueing included',
  },
  {
    name: 'DRAIN_MS',
    byDefault: '0; 5000 in production',
    meaning: 'milliseconds for which a process goes on answering after a signal to end, with `/readyz` at 503',
  },
  {
    name: 'KEEP_ALIVE_MS',
    byDefault: '65000',
    meaning:
      'milliseconds for which an idle connection stays open: longer than the balancer keeps it, which would otherwise use one that has just closed',
  },
  {
    name: 'MAX_ANSWER_BYTES',
    byDefault: '10485760 (10 MB)',
    meaning: 'bytes of JSON that one response may have before compression; an operation that needs more is refused',
  },
  {
    name: 'MAX_CALLS_PER_REQUEST',
    byDefault: '500',
    meaning:
      'upstream calls that one request may make; an operation that is certain to need more is refused, any other is cut off at this number',
  },
  {
    name: 'CALLER_REQUESTS_PER_MINUTE',
    byDefault: '6000 in production; else 0',
    meaning: 'requests that one caller (user of a session, key, else address) may send in a minute; 0 is no limit',
  },
  {
    name: 'CALLER_CALLS_PER_MINUTE',
    byDefault: '1000 in production; else 0',
    meaning: 'upstream calls that one caller may make in a minute; 0 is no limit',
  },
  {
    name: 'HTTPS_PROXY',
    byDefault: 'none',
    meaning:
      'proxy through which services and the receiver of traces are called by https: http://proxy.example:3128, with user and password if it wants them; `https_proxy` is read too, and so with the next two',
    secret: true,
  },
  {
    name: 'HTTP_PROXY',
    byDefault: 'none',
    meaning: 'the same for addresses by http, and for https where HTTPS_PROXY is not set',
    secret: true,
  },
  {
    name: 'NO_PROXY',
    byDefault: 'loopback',
    meaning:
      'hosts, separated by commas, that are called directly, with all below them; subgraphs and Redis always are',
  },
  {
    name: 'INTROSPECTION',
    byDefault: 'as GRAPHIQL',
    meaning: 'introspection of the graph, and /schema.graphql: on or off',
  },
  {
    name: 'TRACE',
    byDefault: 'on; off in production',
    meaning: 'who may request a trace: on, off, or a secret of 16 printable characters or more that callers send',
    secret: true,
  },
  { name: 'SAFELIST_MODE', byDefault: 'enforce', meaning: 'what happens to other operations: log or enforce' },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    byDefault: 'none',
    meaning: 'headers sent with the traces, `name=value` separated by commas',
    secret: true,
  },
  {
    name: 'OTEL_SERVICE_NAME',
    byDefault: 'passerelle; passerelle-SERVICE for separate subgraphs',
    meaning: 'name of this process in traces',
  },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    byDefault: 'none',
    meaning: 'attributes of this process in traces, `name=value` separated by commas',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    byDefault: '1',
    meaning: 'share of traces that are sent, from 0 to 1; callers who send `traceparent` decide for their own',
  },
  { name: 'METRICS_HOST', byDefault: '127.0.0.1', meaning: 'address of that listener' },
] as const satisfies readonly Variable[];

/** Every variable, by how often it is set, in the order in which `--help` prints them. */
export const VARIABLE_GROUPS = {
  Needed: NEEDED,
  Usual: USUAL,
  'With subgraphs in other processes': BY_SHAPE,
  Rare: RARE,
} as const;

/** Every variable. */
export const VARIABLES = [...NEEDED, ...USUAL, ...BY_SHAPE, ...RARE] as const;

/** The name of an environment variable that the table describes. */
export type VariableName = (typeof VARIABLES)[number]['name'];

/** The table as text, for `--help`. */
export function variablesText(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 4);
  const text = ({ name, byDefault, meaning }: Variable) =>
    `  ${name.padEnd(width)}  ${meaning}\n${indent}(default: ${byDefault})\n`;
  const groups: [string, readonly Variable[]][] = Object.entries(VARIABLE_GROUPS);
  return groups.map(([group, variables]) => `${group}:\n\n${variables.map(text).join('')}`).join('\n');
}

const ON_OFF = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

/** Whether a word means on or off, ignoring case; null for any other text. */
export function onOffWord(text: string): boolean | null {
  return ON_OFF.get(text.toLowerCase()) ?? null;
}

/** Defaults that depend on the role of the process, and on whether it starts the sandbox. */
function defaultsOf(role: Role, startsSandbox: boolean): Readonly<Record<string, string>> {
  const whereIs = (service: ServiceName) => (role === 'gateway' ? subgraphAddress(service) : 'in process');
  const services = VARIABLES.filter(({ byDefault }) => byDefault === SANDBOX);
  return {
    ...Object.fromEntries(services.map(({ name }) => [name, startsSandbox ? 'sandbox' : 'off'])),
    PORT: String(defaultPort(role)),
    OTEL_SERVICE_NAME: defaultTraceName(role),
    ...Object.fromEntries(SERVICES.map((name) => [SERVICE_ENTRIES[name].addressVariable, whereIs(name)])),
  };
}

/** Every variable with its value, one per line, as a process of this role reads it; a secret is only `(set)`. */
export function printedVariables(
  role: Role,
  env: Readonly<Record<string, string | undefined>>,
  startsSandbox: boolean,
): string {
  const table: readonly Variable[] = VARIABLES;
  const defaults = defaultsOf(role, startsSandbox);
  return table
    .map(({ name, byDefault, secret }) => {
      const value = env[name]?.trim() || null;
      if (value === null) return `${name}  (default: ${defaults[name] ?? byDefault})`;
      // A word for on or off is no secret, even where one is allowed.
      return `${name}=${secret && onOffWord(value) === null ? '(set)' : value}`;
    })
    .join('\n');
}
