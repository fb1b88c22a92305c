import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import {
  fromEachService,
  SERVICE_ENTRIES,
  SERVICES,
  type ServiceName,
  subgraphAddress,
} from '../../kernel/services.js';
import { claimsOf, endInWords } from '../credentials/key-end.js';
import { Secret } from '../credentials/secret.js';
import { MAX_SECRET_HEADER } from '../http/request-headers.js';
import type { SharedCache } from '../stores/redis.js';
import {
  type ConfigurationReader,
  createConfigurationReader,
  type Environment,
  misspeltNames,
} from './configuration-reader.js';
import {
  onOffWord,
  printedVariables,
  type ServiceVariables,
  type VariableName,
  variablesOf,
} from './configuration-variables.js';
import { defaultPort, defaultTraceName, isSubgraph, projectRoot, type Role } from './role.js';

/** All settings, checked. Secrets are sealed, so printing a configuration reveals none. */
export interface Configuration {
  readonly role: Role;
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** Origin that browsers see, without a trailing slash. Null: built from host and port, once the port is known. */
  readonly publicUrl: string | null;
  readonly upstreams: Upstreams;
  /** Root secrets, newest first. Empty: a random one for this start. */
  readonly sessionSecrets: readonly Secret[];
  /** Redis; null for memory alone. */
  readonly cache: SharedCache | null;
  /** Folder that survives a restart; null stores nothing. */
  readonly cacheDir: string | null;
  readonly requestDeadlineMs: number;
  /** How long a process still answers after a signal to end, so that balancers notice. */
  readonly drainMs: number;
  /** How long an idle connection to the gateway stays open. */
  readonly keepAliveMs: number;
  /** Bytes of JSON, before compression. */
  readonly maxResponseBytes: number;
  /** Upstream calls that one request may make. */
  readonly maxCallsPerRequest: number;
  /** Requests that one caller may send in a minute; 0 is no limit. */
  readonly callerRequestsPerMinute: number;
  /** Upstream calls that one caller may make in a minute; 0 is no limit. */
  readonly callerCallsPerMinute: number;
  /** Addresses and networks of proxies that forward callers' addresses. */
  readonly trustedProxies: readonly string[];
  /** Null if the world outside is called directly. */
  readonly outgoingProxies: OutgoingProxies | null;
  /** Addresses of subgraphs that run elsewhere. A service without one runs in this process. */
  readonly subgraphUrls: Readonly<Partial<Record<ServiceName, string>>>;
  /** Shared by the gateway, which sends the first, and separate subgraphs, which accept all. Empty: none. */
  readonly subgraphTokens: readonly Secret[];
  readonly corsOrigins: readonly string[];
  readonly graphiql: boolean;
  readonly introspection: boolean;
  /** Who may request a trace: everyone, no one, or callers with this secret. */
  readonly trace: 'on' | 'off' | Secret;
  readonly safelist: { readonly paths: readonly string[]; readonly mode: 'log' | 'enforce' } | null;
  readonly logLevel: LogLevel;
  /** Where traces are sent; null where nothing is traced. */
  readonly otlp: TracesConfiguration | null;
  /** Address of the metrics' own listener, which need not be as public as the graph. */
  readonly metricsHost: string;
  /** Port of the metrics' own listener; null for none. */
  readonly metricsPort: number | null;
  /** What is accepted but should be changed, in words. It names variables, never their values. */
  readonly warnings: readonly string[];
  /** Keys that have ended, each in a sentence: their services are off. */
  readonly expired: readonly string[];
}

/** Values of LOG_LEVEL, from the most to the least verbose. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every mistake in the environment, in one error. It names variables, never their values. */
export class ConfigurationError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`Invalid configuration:\n  ${mistakes.join('\n  ')}`);
    this.name = 'ConfigurationError';
    this.mistakes = mistakes;
  }
}

/** Values of NODE_ENV; unset means development. */
const MODES = ['production', 'development', 'test'] as const;
const PORTS = { from: 0, to: 65_535 };
const LOOPBACK = /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/;
const EVERY_HOST = /^(0\.0\.0\.0|::)$/;
/** The name, and the addresses that it may resolve to. */
const LOCALHOST = new Set(['localhost', '127.0.0.1', '::1']);
const SECRET_LENGTH = 32;
/** Thirty-two random hexadecimal digits have fewer once in millions. */
const DIFFERENT_CHARACTERS = 8;
const TRACE_SECRET_LENGTH = 16;
const ANSWER_BYTES = { byDefault: 10 * 1024 * 1024, from: 64 * 1024, to: 256 * 1024 * 1024 };
/** Long enough for a balancer that checks every second or two. */
const DRAIN_MS = { inProduction: 5_000, from: 0, to: 60_000 };
/** Longer than balancers keep an idle connection: nginx and AWS's 60 s. */
const KEEP_ALIVE_MS = { byDefault: 65_000, from: 1_000, to: 3_600_000 };
const A_MINUTE = { from: 0, to: 10_000_000 };
const CALLS_PER_REQUEST = { byDefault: 500, from: 1, to: 1_000_000 };
const DEADLINE_MS = { byDefault: 25_000, from: 100, to: 300_000 };

/**
 * The settings of this process, read from its environment unless another is given.
 * Throws a ConfigurationError that lists every mistake.
 */
export function readConfiguration(role: Role, env: Environment = process.env): Configuration {
  const { configuration, mistakes } = examineConfiguration(role, env);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return Object.freeze(configuration);
}

/** The settings together with all mistakes. A setting whose variable is wrong has its default or is absent. */
export function examineConfiguration(
  role: Role,
  env: Environment = process.env,
): { readonly configuration: Configuration; readonly mistakes: readonly string[] } {
  const read = createConfigurationReader(env);
  const production = read.oneOf('NODE_ENV', MODES) === 'production';
  for (const mistake of misspeltNames(env)) read.mistake(mistake);
  const host = readHost(read, 'HOST');
  const graphiql = read.onOff('GRAPHIQL') ?? !production;
  const configuration: Configuration = {
    role,
    production,
    host,
    port: read.integer('PORT', PORTS) ?? defaultPort(role),
    publicUrl: readPublicUrl(read, production),
    upstreams: readUpstreams(read, role, production),
    sessionSecrets: readSessionSecrets(read, production, host),
    cache: readCache(read),
    cacheDir: readCacheDir(read),
    requestDeadlineMs: read.integer('REQUEST_DEADLINE_MS', DEADLINE_MS) ?? DEADLINE_MS.byDefault,
    drainMs: read.integer('DRAIN_MS', DRAIN_MS) ?? (production ? DRAIN_MS.inProduction : 0),
    keepAliveMs: read.integer('KEEP_ALIVE_MS', KEEP_ALIVE_MS) ?? KEEP_ALIVE_MS.byDefault,
    maxResponseBytes: read.integer('MAX_ANSWER_BYTES', ANSWER_BYTES) ?? ANSWER_BYTES.byDefault,
    maxCallsPerRequest: read.integer('MAX_CALLS_PER_REQUEST', CALLS_PER_REQUEST) ?? CALLS_PER_REQUEST.byDefault,
    callerRequestsPerMinute: read.integer('CALLER_REQUESTS_PER_MINUTE', A_MINUTE) ?? (production ? 6_000 : 0),
    callerCallsPerMinute: read.integer('CALLER_CALLS_PER_MINUTE', A_MINUTE) ?? (production ? 1_000 : 0),
    trustedProxies: readProxies(read),
    outgoingProxies: readOutgoingProxies(read, env),
    subgraphUrls: readSubgraphUrls(read, role),
    subgraphTokens: readSubgraphTokens(read, role, host),
    corsOrigins: readCorsOrigins(read),
    graphiql,
    introspection: read.onOff('INTROSPECTION') ?? graphiql,
    trace: readTrace(read, production),
    safelist: readSafelist(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    otlp: readOtlp(read, role),
    metricsHost: readHost(read, 'METRICS_HOST'),
    metricsPort: read.isOff('METRICS_PORT') ? null : read.integer('METRICS_PORT', PORTS),
    warnings: read.warnings,
    expired: read.expired,
  };
  checkLogin(read, configuration);
  checkPorts(read, configuration);
  checkOrigins(read, configuration);
  checkSubgraphs(read, configuration);
  if (production) checkStrength(read, configuration);
  return { configuration, mistakes: read.mistakes };
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

/** Letters, digits, hyphens, underscores and dots; this includes IPv4 addresses. */
const HOST_NAME = /^[\w-]+(\.[\w-]+)*\.?$/;

/** Listeners take an IPv6 address without the brackets it has in a URL. */
function readHost(read: ConfigurationReader, name: 'HOST' | 'METRICS_HOST'): string {
  const host = read.text(name) ?? '127.0.0.1';
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) === 6) return bare;
  if (!HOST_NAME.test(host)) read.mistake(`${name} must be an address or the name of a host`);
  return host;
}

function readPublicUrl(read: ConfigurationReader, production: boolean): string | null {
  const address = read.address('PUBLIC_URL');
  if (address === null) return null;
  const { origin, protocol, hostname } = new URL(address);
  if (origin !== address) read.mistake('PUBLIC_URL must be an origin, without a path');
  if (production && protocol === 'http:' && !isLoopback(hostname)) {
    read.mistake('PUBLIC_URL must be https in production, unless it is on loopback');
  }
  return origin;
}

/** Without PUBLIC_URL, a remote user's login would return to this host and port, its cookie sent without TLS. */
function checkLogin(read: ConfigurationReader, configuration: Configuration): void {
  const { role, production, host, upstreams, subgraphUrls } = configuration;
  // A subgraph that runs elsewhere may have logins.
  const mayLogIn = upstreams['waste-identity'].mode === 'real' || subgraphUrls['waste-identity'] !== undefined;
  if (isSubgraph(role) || !mayLogIn) return;
  if (production && !isLoopback(host) && !read.has('PUBLIC_URL')) {
    read.mistake('PUBLIC_URL must be set in production beyond loopback, where users log in: they return to it');
  }
}

/** Otherwise the second listener would fail after everything else has started. */
function checkPorts(read: ConfigurationReader, { host, port, metricsHost, metricsPort }: Configuration): void {
  const hosts = [host, metricsHost];
  const oneMachine = hosts.includes('localhost') && hosts.every((name) => LOCALHOST.has(name));
  const sameHost = host === metricsHost || oneMachine || hosts.some((name) => EVERY_HOST.test(name));
  if (port === metricsPort && port !== 0 && sameHost) read.mistake('METRICS_PORT must be another port than PORT');
}

/** Subgraphs themselves speak http alone. */
function checkSubgraphs(read: ConfigurationReader, { subgraphUrls }: Configuration): void {
  for (const service of SERVICES) {
    const { addressVariable, port: ownPort } = SERVICE_ENTRIES[service];
    const { protocol, hostname, port } = new URL(subgraphUrls[service] ?? subgraphAddress(service));
    if (protocol === 'https:' && (isLoopback(hostname) || port === String(ownPort)))
      read.warn(`${addressVariable} is https, but a subgraph speaks http, unless a proxy stands before it`);
  }
}

/** Whoever can change a page on its way calls the gateway with the logins of its readers. */
function checkOrigins(read: ConfigurationReader, { corsOrigins, publicUrl }: Configuration): void {
  const isHttp = (origin: string) => origin.startsWith('http:');
  const isHttps = [publicUrl, ...corsOrigins].some((origin) => origin?.startsWith('https:'));
  if (isHttps && corsOrigins.some(isHttp))
    read.warn('CORS_ORIGINS has origins by http beside https: anybody on the way can change their pages');
}

const NEXT_RELEASE = 'the next release refuses it in production';

/** What production will refuse: calls that anybody on the way can read, and secrets that can be guessed. */
function checkStrength(read: ConfigurationReader, { subgraphTokens, trace }: Configuration): void {
  for (const service of SERVICES) {
    for (const { name, kind } of Object.values(variablesOf(service))) {
      const address = kind === 'address' ? (read.text(name) ?? '') : '';
      const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
      if (protocol === 'http:' && !isLoopback(hostname))
        read.warn(`${name} should be https, unless it is on loopback: ${NEXT_RELEASE}`);
    }
  }
  const isShort = (secret: Secret) => secret.reveal().length < SECRET_LENGTH;
  if (subgraphTokens.some(isShort))
    read.warn(`SUBGRAPH_TOKEN should have ${SECRET_LENGTH} characters or more, each one of a list: ${NEXT_RELEASE}`);
  if (trace instanceof Secret && isShort(trace))
    read.warn(`TRACE should be on, off, or a secret of ${SECRET_LENGTH} characters or more: ${NEXT_RELEASE}`);
}

function readSessionSecrets(read: ConfigurationReader, production: boolean, host: string): Secret[] {
  const secrets = read.list('SESSION_SECRET');
  if (secrets.some((secret) => secret.length < SECRET_LENGTH)) {
    read.mistake(`SESSION_SECRET must be ${SECRET_LENGTH} characters or more, each one of a list`);
  }
  if (!isLoopback(host) && secrets.some((secret) => new Set(secret).size < DIFFERENT_CHARACTERS))
    read.mistake(`SESSION_SECRET must have ${DIFFERENT_CHARACTERS} different characters beyond loopback`);
  if (secrets.length === 0 && production) read.mistake('SESSION_SECRET must be set in production');
  else if (secrets.length === 0 && read.has('CACHE_URL')) {
    read.mistake('SESSION_SECRET must be set with CACHE_URL: processes that share a cache share it');
  }
  return secrets.map((secret) => new Secret(secret));
}

function readCacheDir(read: ConfigurationReader): string | null {
  return read.isOff('CACHE_DIR') ? null : resolve(read.text('CACHE_DIR') ?? join(projectRoot(), '.cache'));
}

function readSubgraphUrls(read: ConfigurationReader, role: Role): Partial<Record<ServiceName, string>> {
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const service of SERVICES) {
    const set = read.address(SERVICE_ENTRIES[service].addressVariable);
    const url = set ?? (role === 'gateway' ? subgraphAddress(service) : null);
    if (url !== null) urls[service] = url;
  }
  return urls;
}

function readSubgraphTokens(read: ConfigurationReader, role: Role, host: string): Secret[] {
  const tokens = read.list('SUBGRAPH_TOKEN');
  if (!tokens.every(isHeaderValue) || (tokens.length === 0 && read.has('SUBGRAPH_TOKEN'))) {
    read.mistake(`SUBGRAPH_TOKEN must be ${HEADER_VALUE}, each one of a list`);
  }
  if (tokens.length === 0 && isSubgraph(role) && !isLoopback(host)) {
    read.mistake('SUBGRAPH_TOKEN must be set for a subgraph that listens beyond loopback');
  }
  if (!isLoopback(host) && tokens.some(({ length }) => length < SECRET_LENGTH))
    read.mistake(`SUBGRAPH_TOKEN must be ${SECRET_LENGTH} characters or more beyond loopback, each one of a list`);
  return tokens.map((token) => new Secret(token));
}

function readCorsOrigins(read: ConfigurationReader): readonly string[] {
  const origins = read.list('CORS_ORIGINS');
  if (!origins.every(isOriginOrPattern)) {
    read.mistake(
      'CORS_ORIGINS must be origins such as https://site.example, https://*.preview.site.example or ' +
        'capacitor://localhost, separated by commas; * is none',
    );
  }
  return origins;
}

/** An origin as browsers send it, of pages or of an app; or one with `*.` in place of one label, above two others. */
function isOriginOrPattern(text: string): boolean {
  const [, scheme = '', isPattern, host = ''] = /^([a-z][a-z\d+.-]*):\/\/(\*\.)?([^/*]+)$/.exec(text) ?? [];
  if (isPattern !== undefined && !/^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*(:\d+)?$/.test(host)) return false;
  if (scheme === 'http' || scheme === 'https') {
    const origin = `${scheme}://${host}`;
    return URL.canParse(origin) && new URL(origin).origin === origin;
  }
  return isPattern === undefined && scheme !== 'file' && /^[a-z\d.-]+(:\d+)?$/.test(host);
}

function readProxies(read: ConfigurationReader): readonly string[] {
  const proxies = read.list('TRUSTED_PROXIES');
  const isNetwork = (text: string): boolean => {
    const [address = '', bits, more] = text.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return more === undefined && (bits === undefined ? most > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= most);
  };
  if (!proxies.every(isNetwork)) {
    read.mistake('TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, separated by commas');
  }
  if (proxies.some((proxy) => proxy.endsWith('/0')))
    read.warn('TRUSTED_PROXIES trusts every address: whoever calls may claim any other, and counts as a new caller');
  return proxies;
}

const HEADER_VALUE = `printable ASCII, at most ${MAX_SECRET_HEADER} characters`;

/** Whether a secret arrives unchanged in a header, and is read there. */
function isHeaderValue(secret: string): boolean {
  return secret.length <= MAX_SECRET_HEADER && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(secret);
}

function readTrace(read: ConfigurationReader, production: boolean): 'on' | 'off' | Secret {
  const value = read.text('TRACE') ?? (production ? 'off' : 'on');
  const open = onOffWord(value);
  if (open !== null) return open ? 'on' : 'off';
  if (value.length < TRACE_SECRET_LENGTH || !isHeaderValue(value)) {
    const expected = `a secret of ${TRACE_SECRET_LENGTH} characters or more, ${HEADER_VALUE}`;
    read.mistake(`TRACE must be on, off, or ${expected}`);
  }
  return new Secret(value);
}

function readSafelist(read: ConfigurationReader): Configuration['safelist'] {
  const mode = read.oneOf('SAFELIST_MODE', ['log', 'enforce']) ?? 'enforce';
  const paths = read.list('SAFELIST').map((path) => resolve(path));
  return paths.length === 0 || read.isOff('SAFELIST') ? null : { paths, mode };
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

/** Through which proxies the world outside is called, as undici's EnvHttpProxyAgent reads them. */
export interface OutgoingProxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Null without a proxy. This machine is never called through one: the sandbox is there. */
function readOutgoingProxies(read: ConfigurationReader, env: Environment): OutgoingProxies | null {
  const [httpsProxy, httpProxy, noProxy] = (['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const).map(
    (name) => read.text(name) ?? env[name.toLowerCase()]?.trim() ?? '',
  ) as [string, string, string];
  if (httpProxy === '' && httpsProxy === '') return null;
  for (const [name, proxy] of Object.entries({ HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy })) {
    if (proxy !== '' && !(URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol))) {
      read.mistake(`${name} must be an address such as http://proxy.example:3128`);
      return null;
    }
  }
  return { httpProxy, httpsProxy, noProxy: ['localhost', '127.0.0.1', '[::1]', noProxy].join(',') };
}

/** Where each service is called and with which credentials. */
type Upstreams = { readonly [S in ServiceName]: Configured<S> };

/**
 * Decides for each service between its servers, the sandbox and nothing (architecture 2). The sandbox is used only when
 * no service is configured and this is not production: it never replaces one service beside real ones.
 */
function readUpstreams(read: ConfigurationReader, role: Role, production: boolean): Upstreams {
  const nothingSet = !SERVICES.some((service) => isTouched(read, service));
  if (nothingSet && production && role === 'all') {
    const [first] = SERVICES.map((service) => neededBy(service).join(' and '));
    read.mistake(
      `No upstream is configured, and production never starts the sandbox: set ${first}, or those of another service`,
    );
  }
  if (isSubgraph(role) && !isTouched(read, role) && (production || !nothingSet)) {
    read.mistake(`${neededBy(role).join(' and ')} must be set: this process is the subgraph of ${role}`);
  }
  const otherwise = { mode: nothingSet && role !== 'gateway' ? 'sandbox' : 'off' } as const;
  const configured = <S extends ServiceName>(service: S): Configured<S> => {
    if (!isTouched(read, service)) return otherwise;
    const settings = readSettings(read, service);
    return settings === null ? { mode: 'off' } : { mode: 'real', settings };
  };
  return fromEachService(configured) as Upstreams;
}

function isTouched(read: ConfigurationReader, service: ServiceName): boolean {
  return Object.values(variablesOf(service)).some(({ name }) => read.has(name));
}

/** The variables without which a service cannot be called: as soon as one of its variables is set, all these must be. */
function neededBy(service: ServiceName): string[] {
  return Object.values(variablesOf(service)).flatMap(({ name, byDefault }) => (byDefault === undefined ? [name] : []));
}

/** What the variables of a service say; null if one that it needs is missing or wrong, which is then a mistake. */
function readSettings<S extends ServiceName>(read: ConfigurationReader, service: S): ServiceSettings<S> | null {
  const variables = Object.entries(variablesOf(service));
  const needed = neededBy(service);
  for (const { name, byDefault } of variables.map(([, variable]) => variable)) {
    if (byDefault === undefined && !read.has(name))
      read.mistake(`${name} must be set: ${service} needs ${needed.join(', ')}`);
  }
  const settings = variables.map(([key, variable]) => [key, readVariable(read, variable)] as const);
  if (settings.some(([, value]) => value === null)) return null;
  return Object.fromEntries(settings) as ServiceSettings<S>;
}

/** The settings of a service in an environment that is known to be good, such as the sandbox's. Throws if it is not. */
export function settingsIn<S extends ServiceName>(service: S, env: Environment): ServiceSettings<S> {
  const read = createConfigurationReader(env);
  const settings = readSettings(read, service);
  if (settings === null || read.mistakes.length > 0) throw new ConfigurationError(read.mistakes);
  return settings;
}

function readVariable(
  read: ConfigurationReader,
  variable: ReturnType<typeof variablesOf>[string],
): Secret | string | null {
  const { name, kind, byDefault = null, refuse } = variable;
  if (kind === 'secret') return read.secret(name);
  if (kind === 'key') return readKey(read, name);
  if (kind === 'hosts') return readHosts(read, name);
  if (kind === 'text') return read.text(name) ?? byDefault;
  const address = read.address(name) ?? byDefault;
  const refusal = address === null ? null : (refuse?.(new URL(address)) ?? null);
  if (refusal !== null) read.mistake(`${name} ${refusal}`);
  return address;
}

/** A key is sent in a header, so it must be printable and without blanks. */
function readKey(read: ConfigurationReader, name: VariableName): Secret | null {
  const key = read.secret(name);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.reveal()))
    read.mistake(`${name} must be printable and without blanks`);
  if (key !== null) checkClaims(read, name, key);
  return key;
}

/** What a key says of itself, aloud. */
function checkClaims(read: ConfigurationReader, name: VariableName, key: Secret): void {
  const { endsMs, testOf } = claimsOf(key.reveal());
  const nowMs = Date.now();
  const end = endsMs === null ? null : endInWords(endsMs, nowMs);
  if (end !== null && endsMs !== null) (endsMs <= nowMs ? read.expire : read.warn)(`${name} ${end}`);
  if (testOf !== null) read.warn(`${name} is a key of the service's test environment (${testOf}), and of no other`);
}

/** Names of hosts as they stand in addresses, joined with commas; empty for none. */
function readHosts(read: ConfigurationReader, name: VariableName): string {
  const hosts = read.list(name).map((host) => host.toLowerCase());
  const isHost = (text: string) => URL.canParse(`http://${text}`) && new URL(`http://${text}`).host === text;
  if (!hosts.every(isHost))
    read.mistake(`${name} must be names of hosts such as files.example:8443, separated by commas`);
  return hosts.join(',');
}

/** A path below a service's base address. */
/** Keys began with it before it could be chosen. */
const CACHE_PREFIX = 'passerelle';

/** They end the host, so that what follows would not be read as a password. */
const RESERVED_IN_USER = /^\w+:\/\/.*[/?#].*@/s;

/** The store that replicas share; null if there is none. */
function readCache(read: ConfigurationReader): SharedCache | null {
  const address = read.text('CACHE_URL');
  const prefix = read.text('CACHE_PREFIX') ?? CACHE_PREFIX;
  if (!/^[\w.:-]{1,64}$/.test(prefix))
    read.mistake('CACHE_PREFIX must have 1 to 64 of the characters A-Z a-z 0-9 _ . : -');
  if (address === null) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (RESERVED_IN_USER.test(address)) {
    read.mistake('CACHE_URL must have user and password percent-encoded: it has a / ? or # before the last @');
  } else if (url === null || !/^rediss?:$/.test(url.protocol)) {
    read.mistake('CACHE_URL must be an address that begins with redis:// or rediss://');
  } else if (percentDecoded(url.username) === null || percentDecoded(url.password) === null) {
    // The client decodes both, and the process would end if it cannot.
    read.mistake('CACHE_URL must have user and password percent-encoded');
  } else if (!/^(\/\d{0,9})?$/.test(url.pathname)) {
    read.mistake('CACHE_URL must end with the number of a database, or with none');
  }
  return { url: new Secret(address), prefix };
}

/** Where traces are sent. */
interface TracesConfiguration {
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of the traces that are sent, from 0 to 1. */
  readonly ratio: number;
}

/** Null where no traces are sent. */
function readOtlp(read: ConfigurationReader, role: Role): TracesConfiguration | null {
  const endpoint = read.address('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = read.text('OTEL_EXPORTER_OTLP_HEADERS');
  if (headers !== null && !headers.split(',').every(isHeader)) {
    read.mistake('OTEL_EXPORTER_OTLP_HEADERS must be name=value, percent-encoded, with commas between several');
  }
  const ratio = Number(read.text('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) read.mistake('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  if (endpoint === null) return null;
  return { endpoint, serviceName: read.text('OTEL_SERVICE_NAME') ?? defaultTraceName(role), ratio };
}

/**
 * Whether the exporter, which reads the variable itself, accepts one header: it decodes both sides, ignoring blanks.
 */
function isHeader(text: string): boolean {
  if (text.trim() === '') return true;
  const [name = '', ...value] = text.split('=').map((part) => part.trim());
  return Boolean(percentDecoded(name) && percentDecoded(value.join('=')));
}

/** The text without its percent-encoding; null if it is malformed. */
function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
