import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  SERVICE_ENTRIES,
  SERVICES,
  type ServiceName,
  type ServiceVariable,
  subgraphAddress,
} from '../../kernel/services.js';
import { Secret } from '../credentials/secret.js';
import { MAX_SECRET_HEADER } from '../http/request-headers.js';
import { defaultPort, defaultTraceName, type Role } from './role.js';

/** Environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable, as it is read, and as `--help` explains it. */
interface Variable {
  /** Reads its text; the message of an issue follows the name. */
  readonly type: z.ZodType<unknown, string>;
  /** In words, for `--help`. */
  readonly byDefault: string;
  readonly meaning: string;
  readonly secret: boolean;
}

type Table = Readonly<Record<string, Variable>>;

/** One that is printed as it is set. */
function variable<T extends Variable['type']>(type: T, byDefault: string, meaning: string) {
  return { type, byDefault, meaning, secret: false };
}

/** One whose value is never printed. */
function hidden<T extends Variable['type']>(type: T, byDefault: string, meaning: string) {
  return { type, byDefault, meaning, secret: true };
}

/** Whether a word means on or off, ignoring case; null for any other text. */
function onOffWord(text: string): boolean | null {
  return /^(on|true|1)$/i.test(text) || (/^(off|false|0)$/i.test(text) ? false : null);
}

const any = z.string();

function right(expected: string, isRight: (text: string) => boolean) {
  return any.refine(isRight, `must be ${expected}`);
}

/** A text that `problemOf` says nothing against. */
function unless(problemOf: (text: string) => string | null) {
  return any.superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== null) context.addIssue(problem);
  });
}

/** A list separated by commas. */
function list(expected: string, isRight: (item: string) => boolean) {
  return any.transform(itemsOf).refine((items) => items.every(isRight), `must be ${expected}`);
}

function itemsOf(text: string): string[] {
  return text.split(',').flatMap((item) => item.trim() || []);
}

function word<const W extends string>(words: readonly W[]) {
  return any.toLowerCase().pipe(z.enum(words, `must be one of ${words.join(', ')}`));
}

function whole(from: number, to: number) {
  const isRight = (text: string) => /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to;
  return right(`a whole number from ${from} to ${to}`, isRight).transform(Number);
}

/** The same, or null for the word `off`. */
function orOff<T>(type: z.ZodType<T, string>) {
  return any.transform((text) => (text.toLowerCase() === 'off' ? null : text)).pipe(type.nullable());
}

const onOff = right('on or off', (text) => onOffWord(text) !== null).transform((text) => onOffWord(text) === true);
const port = whole(0, 65_535);
const perMinute = whole(0, 10_000_000);
const secret = any.transform((text) => new Secret(text));

/** An absolute http address without credentials, query or fragment. */
const address = right('an http or https address without user, query or fragment', (text) => {
  const { protocol = '', username, password, search, hash } = URL.canParse(text) ? new URL(text) : {};
  return /^https?:$/.test(protocol) && !(username || password || search || hash);
}).transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** Letters, digits, hyphens, underscores and dots; this includes IPv4 addresses. */
const HOST_NAME = /^[\w-]+(\.[\w-]+)*\.?$/;

/** Listeners take an IPv6 address without the brackets it has in a URL. */
const host = any
  .transform((text) => text.replace(/^\[(.*)\]$/, (inBrackets, bare: string) => (isIP(bare) === 6 ? bare : inBrackets)))
  .refine((text) => isIP(text) === 6 || HOST_NAME.test(text), 'must be an address or the name of a host');

const HEADER_VALUE = `printable ASCII, at most ${MAX_SECRET_HEADER} characters`;

/** Whether a secret arrives unchanged in a header, and is read there. */
function isHeaderValue(text: string): boolean {
  return text.length <= MAX_SECRET_HEADER && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

/** Characters of a secret that stays. */
export const SECRET_LENGTH = 32;
const TRACE_SECRET_LENGTH = 16;

const trace = right(
  `on, off, or a secret of ${TRACE_SECRET_LENGTH} characters or more, ${HEADER_VALUE}`,
  (text) => onOffWord(text) !== null || (text.length >= TRACE_SECRET_LENGTH && isHeaderValue(text)),
).transform((text) => {
  const open = onOffWord(text);
  return open === null ? new Secret(text) : open ? 'on' : 'off';
});

/** An origin as browsers send it, of pages or of an app; or one with `*.` in place of one label, above two others. */
function isOriginOrPattern(text: string): boolean {
  const [, scheme = '', isPattern, rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(\*\.)?([^/*]+)$/.exec(text) ?? [];
  if (isPattern !== undefined && !/^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*(:\d+)?$/.test(rest)) return false;
  if (scheme === 'http' || scheme === 'https') {
    const origin = `${scheme}://${rest}`;
    return URL.canParse(origin) && new URL(origin).origin === origin;
  }
  return isPattern === undefined && scheme !== 'file' && /^[a-z\d.-]+(:\d+)?$/.test(rest);
}

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Names of hosts as they stand in addresses, joined with commas. */
const hosts = list(
  'names of hosts such as files.example:8443, separated by commas',
  (item) => URL.canParse(`http://${item}`) && new URL(`http://${item}`).host === item.toLowerCase(),
).transform((items) => items.join(',').toLowerCase());

/** They end the host, so that what follows would not be read as a password. */
const RESERVED_IN_USER = /^\w+:\/\/.*[/?#].*@/s;

const redis = unless((text) => {
  if (RESERVED_IN_USER.test(text))
    return 'must have user and password percent-encoded: it has a / ? or # before the last @';
  if (!URL.canParse(text) || !/^rediss?:$/.test(new URL(text).protocol))
    return 'must be an address that begins with redis:// or rediss://';
  const { username, password, pathname } = new URL(text);
  // The client decodes both, and the process would end if it cannot.
  if (percentDecoded(username) === null || percentDecoded(password) === null)
    return 'must have user and password percent-encoded';
  return /^(\/\d{0,9})?$/.test(pathname) ? null : 'must end with the number of a database, or with none';
}).pipe(secret);

const proxy = right(
  'an address such as http://proxy.example:3128',
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
);

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

/** Default of the variables that services need: the sandbox, if none of them is set. */
const SANDBOX = 'sandbox; off in production, and where another of these is set';

/** The variables of one service, by what they set. */
export type ServiceVariables<S extends ServiceName> = (typeof SERVICE_ENTRIES)[S]['variables'];

/** The name of a variable of one service. */
type ServiceVariableName = {
  [S in ServiceName]: Extract<ServiceVariables<S>[keyof ServiceVariables<S>], { readonly name: string }>['name'];
}[ServiceName];

/** The variables of a service, by what they set. */
export function variablesOf(
  service: ServiceName,
): Readonly<Record<string, ServiceVariable & { readonly name: ServiceVariableName }>> {
  return SERVICE_ENTRIES[service].variables;
}

function typeOf({ kind, refuse }: ServiceVariable): z.ZodType<string | Secret, string> {
  if (kind === 'hosts') return hosts;
  if (kind === 'secret') return secret;
  // It is sent in a header.
  if (kind === 'key') return any.regex(/^[\x21-\x7e]+$/, 'must be printable and without blanks').pipe(secret);
  if (kind === 'text') return any;
  return address.pipe(unless((text) => refuse?.(new URL(text)) ?? null));
}

/** The variables of all services that they need, or those that have a default. */
function upstreamVariables(areNeeded: boolean) {
  const all = SERVICES.flatMap((service) => Object.values(variablesOf(service)));
  const entries = all
    .filter(({ byDefault }) => (byDefault === undefined) === areNeeded)
    .map((variable) => {
      const { name, kind, meaning, byDefault = SANDBOX } = variable;
      return [name, { type: typeOf(variable), byDefault, meaning, secret: kind === 'key' || kind === 'secret' }];
    });
  return Object.fromEntries(entries) as Readonly<
    Record<ServiceVariableName, Variable & { readonly type: z.ZodType<string | Secret, string> }>
  >;
}

/** The name of the variable with the address of a separate subgraph. */
type AddressVariable = (typeof SERVICE_ENTRIES)[ServiceName]['addressVariable'];

function addressVariables() {
  const entries = SERVICES.map((service) => {
    const byDefault = `in process; for a separate gateway ${subgraphAddress(service)}`;
    const meaning = `where the gateway finds ${service}`;
    return [SERVICE_ENTRIES[service].addressVariable, { type: address, byDefault, meaning }];
  });
  return Object.fromEntries(entries) as Readonly<Record<AddressVariable, Variable & { readonly type: typeof address }>>;
}

/** Values of LOG_LEVEL, from the most to the least verbose. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of them. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What every installation in production sets. */
const NEEDED = {
  NODE_ENV: variable(
    word(['production', 'development', 'test']),
    'development',
    'production, development or test; production never starts the sandbox, needs SESSION_SECRET, and has the page, introspection and trace off unless they are switched on',
  ),
  ...upstreamVariables(true),
  PUBLIC_URL: variable(
    address.refine((text) => new URL(text).origin === text, 'must be an origin, without a path'),
    'from host and port',
    'origin that browsers see; redirect URIs are built from it; in production beyond loopback it must be https, and is needed if users log in',
  ),
  SESSION_SECRET: hidden(
    list(`${SECRET_LENGTH} characters or more, each one of a list`, ({ length }) => length >= SECRET_LENGTH),
    'random per start',
    'the one root secret, 32 characters or more; a list rotates (operators 2); needed in production and with CACHE_URL',
  ),
} as const satisfies Table;

/** What many installations set. */
const USUAL = {
  PORT: variable(port, `4000; ${SERVICES.map(defaultPort).join(', ')} for separate subgraphs`, 'port of the listener'),
  HOST: variable(host, '127.0.0.1', 'address of the listener'),
  CACHE_URL: hidden(redis, 'embedded', 'redis://… shares cache, sessions and quota between processes'),
  CACHE_DIR: variable(
    orOff(any.transform((path) => resolve(path))),
    '.cache in the project',
    'folder where reference data and the export survive a restart (never those of the sandbox); with `off` nothing does: the export of a real service, of about 1 GB, is then in the temporary folder as long as the process runs',
  ),
  TRUSTED_PROXIES: variable(
    list('addresses or networks such as 10.0.0.0/8, separated by commas', (item) => network.safeParse(item).success),
    'none',
    'addresses or networks, separated by commas, whose X-Forwarded-For is trusted',
  ),
  CORS_ORIGINS: variable(
    list(
      'origins such as https://site.example, https://*.preview.site.example or capacitor://localhost, separated by commas; * is none',
      isOriginOrPattern,
    ),
    'none',
    'origins, separated by commas, whose pages may call the gateway and be returned to after a login, exactly as browsers send them: `https://site.example`, `capacitor://localhost`; `https://*.preview.site.example` stands for every one with one label in place of the star',
  ),
  GRAPHIQL: variable(onOff, 'on; off in production', 'the analyst page: on or off'),
  SAFELIST: variable(
    orOff(any.transform((text) => itemsOf(text).map((path) => resolve(path)))),
    'off',
    'manifests of allowed operations: paths of files, and of folders whose `.json` files are manifests, separated by commas',
  ),
  LOG_LEVEL: variable(word(LOG_LEVELS), 'info', 'trace, debug, info, warn, error, fatal or silent'),
  METRICS_PORT: variable(orOff(port), 'off', 'port of a separate listener for Prometheus, other than PORT'),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    address,
    'off',
    'where traces are sent: base address of an OpenTelemetry receiver (OTLP over HTTP, JSON)',
  ),
} as const satisfies Table;

/** What a gateway and subgraphs in processes of their own need. */
const BY_SHAPE = {
  ...addressVariables(),
  SUBGRAPH_TOKEN: hidden(
    list(`${HEADER_VALUE}, each one of a list`, isHeaderValue).refine(
      (tokens) => tokens.length > 0,
      'must have a secret',
    ),
    'none',
    'secret shared by the gateway and separate subgraphs, which then serve nobody without it and need it beyond loopback; of several, separated by commas, the first is sent and all are accepted; without it nobody can log in, and traces, call limits and `Cache-Status` miss the calls of the subgraphs (operators 4)',
  ),
} as const satisfies Table;

const RARE = {
  ...upstreamVariables(false),
  CACHE_PREFIX: variable(
    any.regex(/^[\w.:-]{1,64}$/, 'must have 1 to 64 of the characters A-Z a-z 0-9 _ . : -'),
    'passerelle',
    'what every key there begins with, before a colon, so that others may use the same Redis',
  ),
  REQUEST_DEADLINE_MS: variable(
    whole(100, 300_000),
    '25000',
    'milliseconds that one request may take, queueing included',
  ),
  DRAIN_MS: variable(
    whole(0, 60_000),
    '0; 5000 in production',
    'milliseconds for which a process goes on answering after a signal to end, with `/readyz` at 503',
  ),
  KEEP_ALIVE_MS: variable(
    whole(1_000, 3_600_000),
    '65000',
    'milliseconds for which an idle connection stays open: longer than the balancer keeps it, which would otherwise use one that has just closed',
  ),
  MAX_ANSWER_BYTES: variable(
    whole(64 * 1024, 256 * 1024 * 1024),
    '10485760 (10 MB)',
    'bytes of JSON that one response may have before compression; an operation that needs more is refused',
  ),
  MAX_CALLS_PER_REQUEST: variable(
    whole(1, 1_000_000),
    '500',
    'upstream calls that one request may make; fields that would need more are null with an error',
  ),
  CALLER_REQUESTS_PER_MINUTE: variable(
    perMinute,
    '6000 in production; else 0',
    'requests that one caller (user of a session, key, else address) may send in a minute; 0 is no limit',
  ),
  CALLER_CALLS_PER_MINUTE: variable(
    perMinute,
    '1000 in production; else 0',
    'upstream calls that one caller may make in a minute; 0 is no limit',
  ),
  HTTPS_PROXY: hidden(
    proxy,
    'none',
    'proxy through which services and the receiver of traces are called by https: http://proxy.example:3128, with user and password if it wants them; `https_proxy` is read too, and so with the next two',
  ),
  HTTP_PROXY: hidden(proxy, 'none', 'the same for addresses by http, and for https where HTTPS_PROXY is not set'),
  NO_PROXY: variable(
    any,
    'loopback',
    'hosts, separated by commas, that are called directly, with all below them; subgraphs and Redis always are',
  ),
  INTROSPECTION: variable(onOff, 'as GRAPHIQL', 'introspection of the graph, and /schema.graphql: on or off'),
  TRACE: hidden(
    trace,
    'on; off in production',
    'who may request a trace: on, off, or a secret of 16 printable characters or more that callers send',
  ),
  SAFELIST_MODE: variable(word(['log', 'enforce']), 'enforce', 'what happens to other operations: log or enforce'),
  OTEL_EXPORTER_OTLP_HEADERS: hidden(
    right('name=value, percent-encoded, with commas between several', (text) => text.split(',').every(isHeader)),
    'none',
    'headers sent with the traces, `name=value` separated by commas',
  ),
  OTEL_SERVICE_NAME: variable(
    any,
    'passerelle; passerelle-SERVICE for separate subgraphs',
    'name of this process in traces',
  ),
  OTEL_RESOURCE_ATTRIBUTES: variable(
    any,
    'none',
    'attributes of this process in traces, `name=value` separated by commas',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    right('a number from 0 to 1', (text) => Number(text) >= 0 && Number(text) <= 1).transform(Number),
    '1',
    'share of traces that are sent, from 0 to 1; callers who send `traceparent` decide for their own',
  ),
  METRICS_HOST: variable(host, '127.0.0.1', 'address of that listener'),
} as const satisfies Table;

/** Every variable, by how often it is set, in the order in which `--help` prints them. */
export const VARIABLE_GROUPS = {
  Needed: named(NEEDED),
  Usual: named(USUAL),
  'With subgraphs in other processes': named(BY_SHAPE),
  Rare: named(RARE),
} as const;

function named<T extends Table>(table: T) {
  return Object.entries<Variable>(table).map(([name, variable]) => ({ ...variable, name: name as keyof T & string }));
}

type All = typeof NEEDED & typeof USUAL & typeof BY_SHAPE & typeof RARE;

/** The name of an environment variable that the table describes. */
export type VariableName = keyof All;

/** Every variable. */
export const VARIABLES: readonly (Variable & { readonly name: VariableName })[] = Object.values(VARIABLE_GROUPS).flat();

/** What the variables of an environment say; what is not set, or wrong, is absent. */
export type Settings = { readonly [N in VariableName]?: z.output<All[N]['type']> };

/** The text of a variable; null if it is not set. An empty one is none: so compose files and CI systems leave it out. */
export function textOf(env: Environment, name: VariableName): string | null {
  const text = env[name]?.trim() || null;
  // Programs read the names of proxies in both cases.
  if (text === null) return (name.endsWith('_PROXY') && env[name.toLowerCase()]?.trim()) || null;
  // It is read as it is meant, so that nothing else is said of it.
  return isQuoted(text) ? text.slice(1, -1) : text;
}

/** Files of variables for containers keep the quotes that a shell would remove. */
function isQuoted(text: string): boolean {
  return /^(["']).*\1$/s.test(text) && text.length > 1;
}

/** What a variable of a container's link holds: the address of another service. */
export const LINK = /^(tcp|udp|sctp):\/\/\S+:\d+$/;

/** Reads every variable. A value is never part of a mistake. */
export function readVariables(env: Environment): { readonly settings: Settings; readonly mistakes: string[] } {
  const settings: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const { name, type } of VARIABLES) {
    const text = textOf(env, name);
    if (isQuoted(env[name]?.trim() ?? ''))
      mistakes.push(`${name} is in quotes, which are part of the value here: leave them out`);
    const { data, error } = text === null ? {} : type.safeParse(text);
    if (data !== undefined) settings[name] = data;
    if (error === undefined) continue;
    mistakes.push(`${name} ${LINK.test(text ?? '') ? linkIn(name) : error.issues[0]?.message}`);
  }
  return { settings, mistakes };
}

function linkIn(name: string): string {
  const service = name.replace(/_PORT$/, '').toLowerCase();
  return `holds the link that Kubernetes makes to a service named ${service}: set it in the container, or enableServiceLinks: false in the pod`;
}

/** The table as text, for `--help`. */
export function variablesText(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 4);
  const text = ({ name, byDefault, meaning }: (typeof VARIABLES)[number]) =>
    `  ${name.padEnd(width)}  ${meaning}\n${indent}(default: ${byDefault})\n`;
  const groups: [string, typeof VARIABLES][] = Object.entries(VARIABLE_GROUPS);
  return groups.map(([group, variables]) => `${group}:\n\n${variables.map(text).join('')}`).join('\n');
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
export function printedVariables(role: Role, env: Environment, startsSandbox: boolean): string {
  const defaults = defaultsOf(role, startsSandbox);
  return VARIABLES.map(({ name, byDefault, secret }) => {
    const value = env[name]?.trim() || null;
    if (value === null) return `${name}  (default: ${defaults[name] ?? byDefault})`;
    // A word for on or off is no secret, even where one is allowed.
    return `${name}=${secret && onOffWord(value) === null ? '(set)' : value}`;
  }).join('\n');
}
