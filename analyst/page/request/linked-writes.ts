import { fragmentsOf, walkFields } from '../../../kernel/selections.js';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { labelOfService } from '../elements/format.js';
import { textsNow } from '../state/language.js';
import type { TabHeaders } from '../state/query-result.js';
import { operationsOf, parseQuery } from './operation.js';
import { REQUEST_TEXTS } from './send-query.js';

/** Fields of mutations that came by a link and were never run since, whatever was edited around them. */
const STORED = 'passerelle:linked-writes';

/** The fields that a query's mutations call. */
export function writesOf(query: string): string[] {
  const document = parseQuery(query);
  const mutations = operationsOf(document).filter(({ operation }) => operation === 'mutation');
  if (document === null || mutations.length === 0) return [];
  const fragments = fragmentsOf(document);
  const fields = new Set<string>();
  walkFields(
    mutations.map(({ selectionSet }) => selectionSet),
    { findFragment: (name) => fragments.get(name) },
    ({ name }) => void fields.add(name.value),
  );
  return [...fields];
}

/** Remembers what a query of a link would change, until its reader has agreed. */
export function markLinked(query: string): void {
  const fields = writesOf(query);
  if (fields.length > 0) window.localStorage.setItem(STORED, [...new Set([...readStored(), ...fields])].join(' '));
}

/**
 * Whether a query may be sent with these headers: asks its reader the first time for what came by a link, naming fields
 * and credential.
 */
export function mayRun(query: string, headers: TabHeaders, ask = (text: string) => window.confirm(text)): boolean {
  const linked = readStored();
  const fields = writesOf(query).filter((field) => linked.includes(field));
  if (fields.length === 0) return true;
  const sent = Object.keys(headers).map((header) => header.toLowerCase());
  const services = SERVICES.filter((service) => sent.includes(SERVICE_ENTRIES[service].credential.header));
  const labels = services.map(labelOfService).join(', ');
  if (!ask(textsNow(REQUEST_TEXTS).asksToWrite(fields.join(', '), labels))) return false;
  window.localStorage.setItem(STORED, linked.filter((field) => !fields.includes(field)).join(' '));
  return true;
}

function readStored(): string[] {
  return (window.localStorage.getItem(STORED) ?? '').split(' ').filter(Boolean);
}
