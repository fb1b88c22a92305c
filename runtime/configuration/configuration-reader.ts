import { isIP } from 'node:net';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { editDistance } from '../../kernel/text.js';
import { Secret } from '../credentials/secret.js';
import { onOffWord, VARIABLES, type VariableName } from './configuration-variables.js';

/** Environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads variables of each kind and collects what is wrong with them, and what is right but should not stay so. A value
 * is never part of a message.
 */
export interface ConfigurationReader {
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
  /** Keys that have ended, each in a sentence: a check fails with them, a start goes on without them. */
  readonly expired: readonly string[];
  mistake(text: string): void;
  warn(text: string): void;
  expire(text: string): void;
  has(name: VariableName): boolean;
  text(name: VariableName): string | null;
  secret(name: VariableName, minimum?: number): Secret | null;
  /** A list separated by commas; empty when nothing is set. */
  list(name: VariableName): readonly string[];
  integer(name: VariableName, range: { readonly from: number; readonly to: number }): number | null;
  onOff(name: VariableName): boolean | null;
  /** Whether the word `off` stands where a path or a number may. */
  isOff(name: VariableName): boolean;
  oneOf<W extends string>(name: VariableName, words: readonly W[]): W | null;
  /** An absolute http address without credentials, query or fragment. */
  address(name: VariableName): string | null;
}

/** An empty value counts as not set: that is how compose files and CI systems leave a variable out. */
export function createConfigurationReader(env: Environment): ConfigurationReader {
  const mistakes: string[] = [];
  const warnings: string[] = [];
  const expired: string[] = [];
  const text = (name: VariableName) => {
    const value = env[name]?.trim() || null;
    // It is read as it is meant, so that nothing else is said of it.
    return value !== null && isQuoted(value) ? value.slice(1, -1) : value;
  };
  for (const name of NAMES) {
    if (isQuoted(env[name]?.trim() ?? ''))
      mistakes.push(`${name} is in quotes, which are part of the value here: leave them out`);
  }
  /** The value as `read` parses it. Where `read` returns null, the mistake says what was expected. */
  const expect = <T>(name: VariableName, expected: string, read: (value: string) => T | null): T | null => {
    const value = text(name);
    if (value === null) return null;
    const result = read(value);
    if (result === null) mistakes.push(LINK.test(value) ? linkIn(name) : `${name} must be ${expected}`);
    return result;
  };
  return {
    mistakes,
    warnings,
    expired,
    mistake: (mistake) => mistakes.push(mistake),
    warn: (warning) => warnings.push(warning),
    expire: (sentence) => expired.push(sentence),
    has: (name) => text(name) !== null,
    text,
    list: (name) => (text(name) ?? '').split(',').flatMap((item) => item.trim() || []),
    secret: (name, minimum = 1) =>
      expect(name, `${minimum} characters or more`, (value) => (value.length < minimum ? null : new Secret(value))),
    integer: (name, { from, to }) =>
      expect(name, `a whole number from ${from} to ${to}`, (value) => {
        const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
        return number >= from && number <= to ? number : null;
      }),
    onOff: (name) => expect(name, 'on or off', onOffWord),
    isOff: (name) => text(name)?.toLowerCase() === 'off',
    oneOf: (name, words) =>
      expect(name, `one of ${words.join(', ')}`, (value) => words.find((word) => word === value.toLowerCase()) ?? null),
    address: (name) => expect(name, 'an http or https address without user, query or fragment', readAddress),
  };
}

function linkIn(name: VariableName): string {
  const service = name.replace(/_PORT$/, '').toLowerCase();
  return `${name} holds the link that Kubernetes makes to a service named ${service}: set it in the container, or enableServiceLinks: false in the pod`;
}

function readAddress(value: string): string | null {
  if (!URL.canParse(value)) return null;
  const { protocol, username, password, search, hash, href } = new URL(value);
  if (!/^https?:$/.test(protocol) || username || password || search || hash) return null;
  return href.replace(/\/+$/, '');
}

/** Files of variables for containers keep the quotes that a shell would remove. */
function isQuoted(value: string): boolean {
  return /^(["']).*\1$/s.test(value) && value.length > 1;
}

const NAMES: readonly string[] = VARIABLES.map(({ name }) => name);
/** Prefixes that only our variables have: any other name with one of them is a mistake. */
export const FAMILIES = ['PASSERELLE_', ...SERVICES.map((name) => SERVICE_ENTRIES[name].prefix), 'SUBGRAPH_'];
/** Names so common that similar ones belong to other programs: HOSTS, LOGLEVEL, CCACHE_DIR. */
const COMMON = ['PORT', 'HOST', 'TRACE', 'LOG_LEVEL', 'CACHE_DIR', 'CACHE_URL'];
const DISTINCTIVE = NAMES.filter((name) => !COMMON.includes(name));
/** One character in five may differ, and at most three in a name: TRUSTED_PROXY. */
const CHARACTERS_FOR_A_CHANGE = 5;
const MAX_CHANGES = 3;
/** Names of one family resemble each other by their prefix alone. */
const MAX_CHANGES_IN_FAMILY = 2;
/** Longer names resemble none of ours. */
const MAX_NAME_LENGTH = 40;

/**
 * The misspelt names in an environment, each with a message: names of our families that are no variable, and names that
 * resemble a distinctive variable. Any other name belongs to another program, as those of Kubernetes' services do.
 */
export function misspeltNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (NAMES.includes(name) || isServiceLink(name, value)) return [];
    const isOfFamily = FAMILIES.some((family) => name.startsWith(family));
    const meant = nearestName(name, isOfFamily ? MAX_CHANGES_IN_FAMILY : MAX_CHANGES);
    if (meant !== undefined) return [`${name} is not a variable of Passerelle. Did you mean ${meant}?`];
    return isOfFamily ? [`${name} is not a variable of Passerelle: see --help`] : [];
  });
}

function nearestName(given: string, maxChanges: number): string | undefined {
  if (given.length > MAX_NAME_LENGTH) return undefined;
  const near = DISTINCTIVE.map((name) => ({ name, changes: editDistance(given, name) })).filter(
    ({ name, changes }) => changes <= Math.min(maxChanges, Math.floor(name.length / CHARACTERS_FOR_A_CHANGE)),
  );
  return near.sort((a, b) => a.changes - b.changes)[0]?.name;
}

const LINK = /^(tcp|udp|sctp):\/\/\S+:\d+$/;
const LINK_NAME = /_PORT(_\d+_(TCP|UDP|SCTP))?$/;
const PART_NAME = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR))$/;

/**
 * Whether a variable is one of those that Kubernetes makes of each service of a namespace unless a pod has
 * `enableServiceLinks: false`: both its name and its value have the form of one.
 */
function isServiceLink(name: string, value = ''): boolean {
  if (LINK_NAME.test(name)) return LINK.test(value);
  return PART_NAME.test(name) && (/^(\d+|tcp|udp|sctp)$/.test(value) || isIP(value) > 0);
}
