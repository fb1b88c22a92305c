import { Secret } from '../credentials/secret.js';
import { onOffWord, type VariableName } from './configuration-variables.js';
import { isServiceLink } from './service-links.js';

/** Environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables of each kind and collects what is wrong with them. A value is never part of a message. */
export interface ConfigurationReader {
  readonly mistakes: readonly string[];
  mistake(text: string): void;
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
  const text = (name: VariableName) => env[name]?.trim() || null;
  /** The value as `read` parses it. Where `read` returns null, the mistake says what was expected. */
  const expect = <T>(name: VariableName, expected: string, read: (value: string) => T | null): T | null => {
    const value = text(name);
    if (value === null) return null;
    const result = read(value);
    if (result === null) mistakes.push(isServiceLink(name, value) ? linkIn(name) : `${name} must be ${expected}`);
    return result;
  };
  return {
    mistakes,
    mistake: (mistake) => mistakes.push(mistake),
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
