import { createPortal } from 'react-dom';
import type { Extent } from '../../../rows/extent.js';
import { readPath } from '../../../rows/path.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { language, useTexts } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import type { Declaration } from '../variables/declarations.js';
import { loadedNames, OPTION_SOURCES } from '../variables/options.js';
import { nameValues } from '../variables/values.js';
import { useDeclarations } from '../variables/variables-form.js';
import { SENTENCE_TEXTS } from './texts.js';

interface SentenceProps {
  result: QueryResult;
  shown: ShownRows;
  extent: Extent;
  /** Where it stands: above the views, which do not all have rows. */
  place: HTMLElement | null;
}

/** The result in one sentence: how many of what, where, whether these are all, and of when. */
export function Sentence({ result, shown, extent, place }: SentenceProps) {
  const texts = useTexts(SENTENCE_TEXTS);
  const { words } = useTexts(EXTENT_TEXTS);
  useStore(language);
  useStore(loadedNames);
  const { query, operationName, variables = {} } = result.request;
  const declarations = useDeclarations(query, operationName);
  if (place === null) return null;
  const { rows, list } = shown;
  const noun = nounOf(list.path);
  const count = texts.count(rows.length, list.rows.length, texts.nouns[isNoun(noun) ? noun : 'rows']);
  const said = [
    count + whereOf(declarations, variables, texts),
    extent.kind === 'all' ? texts.whole : words(extent, list.path),
    texts.dataOf(dateOf(result)),
  ];
  return createPortal(said.join(' · '), place);
}

type SentenceTexts = (typeof SENTENCE_TEXTS)['en'];

/** The key of a list without those of its connection: `missions` of `commune.missions.edges[]`. */
function nounOf(path: string): string {
  const keys = readPath(path).flatMap((step) => ('key' in step ? [step.key] : []));
  return keys.findLast((key) => !/^(nodes|edges)$/.test(key)) ?? 'answers';
}

function isNoun(name: string): name is keyof SentenceTexts['nouns'] {
  return name in SENTENCE_TEXTS.en.nouns;
}

/** Around which commune the question searched, and the other values that it was asked with. */
function whereOf(
  declarations: readonly Declaration[],
  variables: Readonly<Record<string, unknown>>,
  texts: SentenceTexts,
): string {
  const valued = Object.fromEntries(declarations.map(({ name, standard }) => [name, variables[name] ?? standard]));
  const single = (kind: Declaration['kind']) =>
    declarations.find((one) => one.kind === kind && !one.isList && valued[one.name] != null);
  const [commune, radius] = [single('commune'), single('kilometres')];
  const code = commune && String(valued[commune.name]);
  const name = code && (OPTION_SOURCES.commune.labelOf(code)?.replace(/ \([^)]*\)$/, '') ?? code);
  const used = commune === undefined ? [] : [commune, radius];
  const others = nameValues(
    declarations.filter((one) => !used.includes(one) && one.argument !== 'first'),
    variables,
    OPTION_SOURCES,
  );
  const where = name === undefined ? '' : texts.where(name, radius ? Number(valued[radius.name]) : null);
  return where + (others === '' ? '' : `, ${others}`);
}

/** When the oldest part of a response was sent by its service, as far as its trace tells. */
function dateOf({ receivedAt, trace }: QueryResult): Date {
  const ages = trace?.calls.map(({ stale }) => stale?.ageSeconds ?? 0) ?? [];
  return new Date(receivedAt.getTime() - 1000 * Math.max(0, ...ages));
}
