import { join } from 'node:path';
import {
  fromEachService,
  SERVICE_ENTRIES,
  SERVICES,
  type ServiceName,
  subgraphAddress,
} from '../../kernel/services.js';
import { claimsOf, endInWords } from '../credentials/key-end.js';
import { Secret } from '../credentials/secret.js';
import { misspeltNames } from './configuration-reader.js';
import {
  type Environment,
  printedVariables,
  readVariables,
  SECRET_LENGTH,
  type ServiceVariables,
  type Settings,
  textOf,
  type VariableName,
  variablesOf,
} from './configuration-variables.js';
import { defaultPort, defaultTraceName, isSubgraph, projectRoot, type Role } from './role.js';

/** All settings, checked. Secrets are sealed, so printing a configuration reveals none. */
export type Configuration = ReturnType<typeof examineConfiguration>['configuration'];

/** Every mistake in the environment, in one error. It names variables, never their values. */
export class ConfigurationError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`Invalid configuration:\n  ${mistakes.join('\n  ')}`);
    this.name = 'ConfigurationError';
    this.mistakes = mistakes;
  }
}

const LOOPBACK = /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/;
const EVERY_HOST = /^(0\.0\.0\.0|::)$/;
/** The name, and the addresses that it may resolve to. */
const LOCALHOST = new Set(['localhost', '127.0.0.1', '::1']);
/** Thirty-two random hexadecimal digits have fewer once in millions. */
const DIFFERENT_CHARACTERS = 8;
/** Long enough for a balancer that checks every second or two. */
const DRAIN_MS = 5_000;
/** Longer than balancers keep an idle connection: nginx and AWS's 60 s. */
const KEEP_ALIVE_MS = 65_000;

/**
 * The settings of this process, read from its environment unless another is given.
 * Throws a ConfigurationError that lists every mistake.
 */
export function readConfiguration(role: Role, env: Environment = process.env): Configuration {
  const { configuration, mistakes } = examineConfiguration(role, env);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return Object.freeze(configuration);
}

/** What is read of an environment, and what is said of it. */
type Reading = ReturnType<typeof read>;

function read(env: Environment) {
  const { settings, mistakes } = readVariables(env);
  return {
    ...{ settings, mistakes, production: settings.NODE_ENV === 'production' },
    /** What is accepted but should be changed, in words. */
    warnings: [] as string[],
    /** Keys that have ended, each in a sentence: a check fails with them, a start goes on without them. */
    expired: [] as string[],
    has: (name: VariableName) => textOf(env, name) !== null,
  };
}

/** The settings together with all mistakes. A setting whose variable is wrong has its default or is absent. */
export function examineConfiguration(role: Role, env: Environment = process.env) {
  const reading = read(env);
  const { settings, production, mistakes, warnings, expired } = reading;
  mistakes.push(...misspeltNames(env));
  const graphiql = settings.GRAPHIQL ?? !production;
  const cacheUrl = settings.CACHE_URL ?? null;
  const configuration = {
    role,
    production,
    host: settings.HOST ?? '127.0.0.1',
    port: settings.PORT ?? defaultPort(role),
    /** Origin that browsers see, without a trailing slash. Null: built from host and port, once the port is known. */
    publicUrl: settings.PUBLIC_URL ?? null,
    upstreams: readUpstreams(reading, role),
    /** Root secrets, newest first. Empty: a random one for this start. */
    sessionSecrets: sealed(settings.SESSION_SECRET),
    /** Redis, and with what its keys begin; null for memory alone. */
    cache: cacheUrl && { url: cacheUrl, prefix: settings.CACHE_PREFIX ?? 'passerelle' },
    /** Folder that survives a restart; null stores nothing. */
    cacheDir: settings.CACHE_DIR === undefined ? join(projectRoot(), '.cache') : settings.CACHE_DIR,
    requestDeadlineMs: settings.REQUEST_DEADLINE_MS ?? 25_000,
    /** How long a process still answers after a signal to end, so that balancers notice. */
    drainMs: settings.DRAIN_MS ?? (production ? DRAIN_MS : 0),
    /** How long an idle connection to the gateway stays open. */
    keepAliveMs: settings.KEEP_ALIVE_MS ?? KEEP_ALIVE_MS,
    /** Bytes of JSON, before compression. */
    maxResponseBytes: settings.MAX_ANSWER_BYTES ?? 10 * 1024 * 1024,
    /** Upstream calls that one request may make. */
    maxCallsPerRequest: settings.MAX_CALLS_PER_REQUEST ?? 500,
    /** Requests that one caller may send in a minute, and calls that it may make; 0 is no limit. */
    callerRequestsPerMinute: settings.CALLER_REQUESTS_PER_MINUTE ?? (production ? 6_000 : 0),
    callerCallsPerMinute: settings.CALLER_CALLS_PER_MINUTE ?? (production ? 1_000 : 0),
    /** Addresses and networks of proxies that forward callers' addresses. */
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    outgoingProxies: outgoingProxies(settings),
    /** Addresses of subgraphs that run elsewhere. A service without one runs in this process. */
    subgraphUrls: subgraphUrls(settings, role),
    /** Shared by the gateway, which sends the first, and separate subgraphs, which accept all. Empty: none. */
    subgraphTokens: sealed(settings.SUBGRAPH_TOKEN),
    corsOrigins: settings.CORS_ORIGINS ?? [],
    graphiql,
    introspection: settings.INTROSPECTION ?? graphiql,
    /** Who may request a trace: everyone, no one, or callers with this secret. */
    trace: settings.TRACE ?? (production ? 'off' : 'on'),
    safelist: settings.SAFELIST?.length
      ? { paths: settings.SAFELIST, mode: settings.SAFELIST_MODE ?? 'enforce' }
      : null,
    logLevel: settings.LOG_LEVEL ?? 'info',
    /** Where traces are sent, and which share of them, from 0 to 1; null where nothing is traced. */
    otlp: traces(settings, role),
    /** Address of the metrics' own listener, which need not be as public as the graph. */
    metricsHost: settings.METRICS_HOST ?? '127.0.0.1',
    /** Port of the metrics' own listener; null for none. */
    metricsPort: settings.METRICS_PORT ?? null,
    warnings: warnings as readonly string[],
    expired: expired as readonly string[],
  } as const;
  checkTogether(reading, configuration);
  warnings.push(...warningsOf(reading, configuration));
  return { configuration, mistakes: mistakes as readonly string[] };
}

/** The output of `--print-config`: every variable, no secret. */
export function printedConfiguration(role: Role, env: Environment = process.env): string {
  const { production, upstreams } = examineConfiguration(role, env).configuration;
  const startsSandbox = !production && SERVICES.some((service) => upstreams[service].mode === 'sandbox');
  return printedVariables(role, env, startsSandbox);
}

/** Whether a listener's address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Mistakes that no variable makes by itself. */
function checkTogether({ settings, mistakes, has }: Reading, configuration: Configuration): void {
  const { role, production, host, port, publicUrl, upstreams, subgraphUrls, metricsHost, metricsPort } = configuration;
  const isOpen = !isLoopback(host);
  if (production && isReadableOnItsWay(publicUrl))
    mistakes.push('PUBLIC_URL must be https in production, unless it is on loopback');
  // A subgraph that runs elsewhere may have logins. They would return to this host and port, their cookies without TLS.
  const mayLogIn = upstreams['waste-identity'].mode === 'real' || subgraphUrls['waste-identity'] !== undefined;
  if (production && !isSubgraph(role) && mayLogIn && isOpen && !has('PUBLIC_URL'))
    mistakes.push('PUBLIC_URL must be set in production beyond loopback, where users log in: they return to it');

  const { SESSION_SECRET: secrets = [], SUBGRAPH_TOKEN: tokens = [] } = settings;
  if (!has('SESSION_SECRET') && production) mistakes.push('SESSION_SECRET must be set in production');
  else if (!has('SESSION_SECRET') && has('CACHE_URL'))
    mistakes.push('SESSION_SECRET must be set with CACHE_URL: processes that share a cache share it');
  if (isOpen && secrets.some((secret) => new Set(secret).size < DIFFERENT_CHARACTERS))
    mistakes.push(`SESSION_SECRET must have ${DIFFERENT_CHARACTERS} different characters beyond loopback`);
  if (isOpen && isSubgraph(role) && !has('SUBGRAPH_TOKEN'))
    mistakes.push('SUBGRAPH_TOKEN must be set for a subgraph that listens beyond loopback');
  if (isOpen && tokens.some(isShort))
    mistakes.push(`SUBGRAPH_TOKEN must be ${SECRET_LENGTH} characters or more beyond loopback, each one of a list`);

  // Otherwise the second listener would fail after everything else has started.
  const hosts = [host, metricsHost];
  const oneMachine = hosts.includes('localhost') && hosts.every((name) => LOCALHOST.has(name));
  const sameHost = host === metricsHost || oneMachine || hosts.some((name) => EVERY_HOST.test(name));
  if (port === metricsPort && port !== 0 && sameHost) mistakes.push('METRICS_PORT must be another port than PORT');
}

/** Whether an address is called without TLS beyond this machine. */
function isReadableOnItsWay(address: string | null): boolean {
  const { protocol, hostname } = new URL(address ?? 'https://unknown.invalid');
  return protocol === 'http:' && !isLoopback(hostname);
}

function isShort({ length }: string): boolean {
  return length < SECRET_LENGTH;
}

const NEXT_RELEASE = 'the next release refuses it in production';

/** What others on the way can read or change, secrets that can be guessed, and addresses that lead nowhere. */
function* warningsOf({ settings }: Reading, configuration: Configuration): Generator<string> {
  const { role, production, host, corsOrigins, publicUrl, trustedProxies, subgraphUrls, trace } = configuration;
  // Whoever can change a page on its way calls the gateway with the logins of its readers.
  const isHttps = [publicUrl, ...corsOrigins].some((origin) => origin?.startsWith('https:'));
  if (isHttps && corsOrigins.some((origin) => origin.startsWith('http:')))
    yield 'CORS_ORIGINS has origins by http beside https: anybody on the way can change their pages';
  if (trustedProxies.some((proxy) => proxy.endsWith('/0')))
    yield 'TRUSTED_PROXIES trusts every address: whoever calls may claim any other, and counts as a new caller';
  for (const service of SERVICES) {
    const { addressVariable, port: ownPort } = SERVICE_ENTRIES[service];
    const { protocol, hostname, port } = new URL(subgraphUrls[service] ?? subgraphAddress(service));
    // Subgraphs themselves speak http alone.
    if (protocol === 'https:' && (isLoopback(hostname) || port === String(ownPort)))
      yield `${addressVariable} is https, but a subgraph speaks http, unless a proxy stands before it`;
  }
  if (!production) return;
  if (!isSubgraph(role) && !isLoopback(host) && trustedProxies.length === 0)
    yield 'TRUSTED_PROXIES names no proxy: put one before this process, or slow clients and many addresses hold its connections and memory';
  for (const { name, kind } of SERVICES.flatMap((service) => Object.values(variablesOf(service)))) {
    const address = kind === 'address' ? settings[name] : undefined;
    if (typeof address === 'string' && isReadableOnItsWay(address))
      yield `${name} should be https, unless it is on loopback: ${NEXT_RELEASE}`;
  }
  if (settings.SUBGRAPH_TOKEN?.some(isShort))
    yield `SUBGRAPH_TOKEN should have ${SECRET_LENGTH} characters or more, each one of a list: ${NEXT_RELEASE}`;
  if (trace instanceof Secret && isShort(trace.reveal()))
    yield `TRACE should be on, off, or a secret of ${SECRET_LENGTH} characters or more: ${NEXT_RELEASE}`;
}

function sealed(secrets: readonly string[] = []): readonly Secret[] {
  return secrets.map((secret) => new Secret(secret));
}

function subgraphUrls(settings: Settings, role: Role): Readonly<Partial<Record<ServiceName, string>>> {
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const service of SERVICES) {
    const url = settings[SERVICE_ENTRIES[service].addressVariable];
    if (url !== undefined || role === 'gateway') urls[service] = url ?? subgraphAddress(service);
  }
  return urls;
}

/** What the variables of a service say: a secret is sealed, all else is text. */
export type ServiceSettings<S extends ServiceName> = {
  readonly [K in keyof ServiceVariables<S>]: ServiceVariables<S>[K] extends { readonly kind: 'key' | 'secret' }
    ? Secret
    : string;
};

/** Where a service's data come from: its servers, the sandbox that this process starts, or nowhere. */
type Configured<S extends ServiceName> =
  | { readonly mode: 'real'; readonly settings: ServiceSettings<S> }
  | { readonly mode: 'sandbox' }
  | { readonly mode: 'off' };

/**
 * Through which proxies the world outside is called, as undici's EnvHttpProxyAgent reads them; null without any. This
 * machine is never called through one: the sandbox is there.
 */
function outgoingProxies(settings: Settings) {
  const { HTTP_PROXY: httpProxy = '', HTTPS_PROXY: httpsProxy = '', NO_PROXY: noProxy = '' } = settings;
  if (httpProxy === '' && httpsProxy === '') return null;
  return { httpProxy, httpsProxy, noProxy: ['localhost', '127.0.0.1', '[::1]', noProxy].join(',') };
}

function traces({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings }: Settings, role: Role) {
  const { OTEL_TRACES_SAMPLER_ARG: ratio = 1, OTEL_SERVICE_NAME: serviceName = defaultTraceName(role) } = settings;
  return endpoint === undefined ? null : { endpoint, serviceName, ratio };
}

/** Where each service is called and with which credentials. */
type Upstreams = { readonly [S in ServiceName]: Configured<S> };

/**
 * Decides for each service between its servers, the sandbox and nothing (architecture 2). The sandbox is used only when
 * no service is configured and this is not production: it never replaces one service beside real ones.
 */
function readUpstreams(reading: Reading, role: Role): Upstreams {
  const { production } = reading;
  const nothingSet = !SERVICES.some((service) => isTouched(reading, service));
  if (nothingSet && production && role === 'all') {
    const [first] = SERVICES.map((service) => neededBy(service).join(' and '));
    reading.mistakes.push(
      `No upstream is configured, and production never starts the sandbox: set ${first}, or those of another service`,
    );
  }
  if (isSubgraph(role) && !isTouched(reading, role) && (production || !nothingSet)) {
    reading.mistakes.push(`${neededBy(role).join(' and ')} must be set: this process is the subgraph of ${role}`);
  }
  const otherwise = { mode: nothingSet && role !== 'gateway' ? 'sandbox' : 'off' } as const;
  const configured = <S extends ServiceName>(service: S): Configured<S> => {
    if (!isTouched(reading, service)) return otherwise;
    const settings = readSettings(reading, service);
    return settings === null ? { mode: 'off' } : { mode: 'real', settings };
  };
  return fromEachService(configured) as Upstreams;
}

function isTouched(reading: Reading, service: ServiceName): boolean {
  return Object.values(variablesOf(service)).some(({ name }) => reading.has(name));
}

/** The variables without which a service cannot be called: as soon as one of its variables is set, all these must be. */
function neededBy(service: ServiceName): VariableName[] {
  return Object.values(variablesOf(service)).flatMap(({ name, byDefault }) => (byDefault === undefined ? [name] : []));
}

/** What the variables of a service say; null if one that it needs is missing or wrong, which is then a mistake. */
function readSettings<S extends ServiceName>(reading: Reading, service: S): ServiceSettings<S> | null {
  const { settings, mistakes, has } = reading;
  const needed = neededBy(service);
  for (const name of needed)
    if (!has(name)) mistakes.push(`${name} must be set: ${service} needs ${needed.join(', ')}`);
  const said = Object.entries(variablesOf(service)).map(([key, { name, kind, byDefault }]) => {
    const value = settings[name];
    if (kind === 'key' && value instanceof Secret) checkClaims(reading, name, value);
    // Of hosts there are none.
    return [key, value ?? (kind === 'hosts' ? '' : byDefault)] as const;
  });
  if (said.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(said) as ServiceSettings<S>;
}

/** The settings of a service in an environment that is known to be good, such as the sandbox's. Throws if it is not. */
export function settingsIn<S extends ServiceName>(service: S, env: Environment): ServiceSettings<S> {
  const reading = read(env);
  const settings = readSettings(reading, service);
  if (settings === null || reading.mistakes.length > 0) throw new ConfigurationError(reading.mistakes);
  return settings;
}

/** What a key says of itself, aloud. */
function checkClaims({ warnings, expired }: Reading, name: VariableName, key: Secret): void {
  const { endsMs, testOf } = claimsOf(key.reveal());
  const nowMs = Date.now();
  const end = endsMs === null ? null : endInWords(endsMs, nowMs);
  if (end !== null && endsMs !== null) (endsMs <= nowMs ? expired : warnings).push(`${name} ${end}`);
  if (testOf !== null) warnings.push(`${name} is a key of the service's test environment (${testOf}), and of no other`);
}
