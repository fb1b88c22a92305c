import type { GraphQLArgument, GraphQLField, GraphQLSchema } from 'graphql';
import { ownValue } from '../../../kernel/text.js';
import { labelOfColumn } from '../labels/labels.js';
import { language } from '../state/language.js';
import { useStore } from '../state/store.js';
import { kindOfArgument } from '../variables/declarations.js';
import { labelOf } from '../variables/values.js';
import french from './names-fr.json' with { type: 'json' };
import { ROOTS } from './roots.js';
import type { Path } from './tree.js';

/** French names of fields that tables do not have, where their own words are not French. */
export const FRENCH: Readonly<Record<string, string>> = french;

/** What a field is called in the page's language; one of `Query` has the id `Query.missions`. */
export function labelOfField(name: string, id: string): string {
  const root = id === `Query.${name}` ? ROOTS[name] : undefined;
  return root?.[language.get()] ?? ownLabelOf(name);
}

function ownLabelOf(name: string): string {
  return (language.get() === 'fr' ? ownValue(FRENCH, name) : undefined) ?? labelOfColumn(name);
}

/** What the steps of a path are called: `Missions › Organisation › SIRET`. */
export function labelOfPath(path: Path): string {
  return path
    .filter((step) => step !== 'nodes' && step !== 'edges' && !step.startsWith('...'))
    .map((step, at) => labelOfField(step, at === 0 ? `Query.${step}` : ''))
    .join(' › ');
}

/** What an argument is called, as in the form of variables. */
export function labelOfArgument(argument: GraphQLArgument, schema: GraphQLSchema): string {
  const { name } = argument;
  const label = labelOf({ kind: kindOfArgument(argument, schema), argument: name, name });
  return label === name ? ownLabelOf(name) : label;
}

/** The first sentence of what the schema says of a field, which is English unless a query may begin with it. */
export function Sentence({
  field,
  root,
  id,
}: {
  field: Pick<GraphQLField<unknown, unknown>, 'description'>;
  root?: string;
  id?: string;
}) {
  const inFrench = useStore(language) === 'fr' ? ROOTS[root ?? '']?.aboutFr : undefined;
  const text = inFrench ?? /^.+?\.(?=\s|$)/s.exec(field.description ?? '')?.[0] ?? field.description ?? '';
  if (text === '') return null;
  return (
    <small id={id} className="pa-about" {...(inFrench === undefined && { lang: 'en' })}>
      {text.replaceAll('`', '')}
    </small>
  );
}
