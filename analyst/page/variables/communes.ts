import { isList, isObject, type Json } from '../../../rows/path.js';
import { sendQuery } from '../requests/send-query.js';

/** A commune of the official list. */
export interface NamedCommune {
  readonly insee: string;
  readonly name: string;
  /** Name and code of its département. */
  readonly departement: string;
}

/** Names alone come from the official list that ships with the gateway: no upstream call. */
const QUERY = `query CommunesByName($name: String!) {
  communesByName(name: $name, first: 8) { nom code { insee } departement { nom codeInsee } }
}`;

const STORED = 'passerelle:communes';

/** Communes whose names are remembered. */
const REMEMBERED = 50;

/** The communes of the examples. */
const KNOWN: Readonly<Record<string, string>> = { '76540': 'Rouen', '38185': 'Grenoble', '69123': 'Lyon' };

/**
 * The communes with this name or beginning, best match first. None for digits alone: here they are an INSEE code, which
 * may be the postal code of another commune.
 */
export async function findCommunes(name: string, signal: AbortSignal): Promise<NamedCommune[]> {
  if (!/\p{L}/u.test(name)) return [];
  const { response } = await sendQuery({ query: QUERY, variables: { name } }, {}, signal);
  const found = response.data?.['communesByName'];
  return isList(found) ? found.flatMap(readCommune) : [];
}

function readCommune(value: Json): NamedCommune[] {
  if (!isObject(value)) return [];
  const { nom, code, departement } = value;
  const insee = isObject(code) ? code['insee'] : null;
  if (typeof insee !== 'string' || typeof nom !== 'string') return [];
  const where = isObject(departement) ? `${departement['nom']} (${departement['codeInsee']})` : '';
  return [{ insee, name: nom, departement: where }];
}

/** The name of a commune that was picked before in this browser, or that an example uses; null for others. */
export function knownCommune(insee: string): string | null {
  return remembered()[insee] ?? KNOWN[insee] ?? null;
}

/** Remembers the name of a commune, to be shown with its code: looking it up in the graph would cost a call. */
export function rememberCommune(insee: string, name: string): void {
  const { [insee]: _, ...others } = remembered();
  const entries = Object.entries({ ...others, [insee]: name }).slice(-REMEMBERED);
  window.localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(entries)));
}

function remembered(): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, name]) => typeof name === 'string'));
  } catch {
    return {};
  }
}
