import type { Example } from '../../read-example.js';
import { fold } from '../../rows/fold.js';
import { DOMAINS } from '../variables/domains.js';
import type { Option, OptionSources } from '../variables/named-codes.js';
import { termsOf } from './search-examples.js';

/** The variables of examples that a search can fill. */
type Fillable = 'insee' | 'department' | 'domain' | 'romes' | 'rncp';

/** The values that a search names, by the example variable that takes them. */
export type NamedValues = Readonly<Partial<Record<Fillable, Option>>>;

/** Variables that take a list. */
const LISTS = new Set<string>(['department', 'domain', 'romes']);

/** What a search names: a commune or département in `rest`, a domain, a ROME or RNCP code. */
export async function findValues(
  { text, rest }: { readonly text: string; readonly rest: string },
  sources: OptionSources,
  signal: AbortSignal,
): Promise<NamedValues> {
  const romes = /(?:^|\s)([a-n]\d{4})(?:$|\s)/i.exec(text)?.[1]?.toUpperCase();
  const rncp = /(?:^|\s)rncp ?(\d{3,5})(?:$|\s)/i.exec(text)?.[1];
  const domain = namedDomain(text);
  await Promise.all([sources.rome.loaded?.(), sources.domain.loaded?.()]);
  const found: Partial<Record<Fillable, Option>> = {
    ...(romes && { romes: { code: romes, label: sources.rome.labelOf(romes) ?? romes, note: '' } }),
    ...(rncp && { rncp: { code: `RNCP${rncp}`, label: `RNCP${rncp}`, note: '' } }),
    ...(domain && { domain: { code: domain, label: sources.domain.labelOf(domain) ?? domain, note: '' } }),
  };
  if (rest === '' || romes || rncp) return found;
  const isNamed = ({ code, label }: Option): boolean => [code, label].some((name) => same(name) === same(rest));
  const department = (await sources.departement.find(rest, signal)).find(isNamed);
  const [insee] = /\d/.test(rest) ? [] : await sources.commune.find(rest, signal);
  return {
    ...found,
    ...(department && { department }),
    ...(insee && same(insee.label).startsWith(same(rest)) && { insee }),
  };
}

/** The variables of an example with the values that a search names; null if it takes none of the places and codes. */
export function fillIn(example: Example, named: NamedValues): FilledExample | null {
  const filled: Option[] = [];
  const variables: Record<string, unknown> = { ...example.variables };
  for (const [name, option] of Object.entries(named)) {
    if (!new RegExp(`\\$${name}\\b`).test(example.query)) continue;
    variables[name] = LISTS.has(name) ? [option.code] : option.code;
    filled.push(option);
  }
  const { domain, ...needed } = named;
  const isTaken = Object.values(needed).length === 0 || filled.some((option) => option !== domain);
  return isTaken ? { example, variables, filled } : null;
}

/** An example with what was filled in. */
export interface FilledExample {
  readonly example: Example;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly filled: readonly Option[];
}

function namedDomain(text: string): string | undefined {
  const terms = termsOf(text)
    .map(fold)
    .filter((term) => term.length > 3);
  return DOMAINS.find(({ en, fr }) =>
    terms.some((term) =>
      [en, fr].some((name) =>
        fold(name)
          .split(/[\s,]+/)[0]
          ?.startsWith(term),
      ),
    ),
  )?.code;
}

/** A name normalized for comparison: `Saint Denis` equals `saint-denis`. */
function same(name: string): string {
  return fold(name).replaceAll(/[\s’'-]+/g, ' ');
}
