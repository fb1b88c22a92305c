import { createPortal } from 'react-dom';
import { ownValue } from '../../../kernel/text.js';
import type { Extent } from '../../../rows/extent.js';
import { readPath } from '../../../rows/path.js';
import { formatMoment } from '../elements/format.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { countInEnglish, countInFrench, defineTexts, language, useTexts } from '../state/language.js';
import { dateOf, type QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import type { Declaration } from '../variables/declarations.js';
import { loadedNames, OPTION_SOURCES } from '../variables/options.js';
import { nameValues } from '../variables/values.js';
import { useDeclarations } from '../variables/variables-form.js';

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
  const noun = ownValue(texts.nouns, nounOf(list.path)) ?? texts.nouns.rows;
  const count = texts.count(rows.length, list.rows.length, noun);
  const said = [
    count + whereOf(declarations, variables, texts),
    extent.kind === 'all' ? texts.whole : words(extent, list.path),
    texts.dataOf(dateOf(result)),
    ...([...list.profiles.values()].some(({ kind }) => kind === 'date') ? [texts.inParis] : []),
  ];
  return createPortal(said.join(' · '), place);
}

type SentenceTexts = (typeof SENTENCE_TEXTS)['en'];

/** The key of a list without those of its connection: `missions` of `commune.missions.edges[]`. */
function nounOf(path: string): string {
  const keys = readPath(path).flatMap((step) => ('key' in step ? [step.key] : []));
  return keys.findLast((key) => !/^(nodes|edges)$/.test(key)) ?? 'answers';
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
  const name = code && (OPTION_SOURCES.commune.labelOf(code)?.replace(/ \([^()]*\)$/, '') ?? code);
  const used = commune === undefined ? [] : [commune, radius];
  const others = nameValues(
    declarations.filter((one) => !used.includes(one) && one.argument !== 'first'),
    variables,
    OPTION_SOURCES,
  );
  const where = name === undefined ? '' : texts.where(name, radius ? Number(valued[radius.name]) : null);
  return where + (others === '' ? '' : `, ${others}`);
}

type Noun = readonly [one: string, many: string];

/** Texts of the sentence that says what a response is. */
const SENTENCE_TEXTS = defineTexts({
  en: {
    count: (shown: number, all: number, [one, many]: Noun) =>
      `${shown === all ? '' : `${shown.toLocaleString('en')} of `}${countInEnglish(all, one, many)}`,
    where: (name: string, kilometres: number | null) =>
      kilometres === null ? ` in ${name}` : ` within ${kilometres.toLocaleString('en')} km of ${name}`,
    whole: 'the whole list',
    dataOf: (date: Date) => `data of ${formatMoment(date)}`,
    inParis: 'days are those of Paris',
    nouns: {
      answers: ['answer', 'answers'],
      certifications: ['certification', 'certifications'],
      communes: ['commune', 'communes'],
      companies: ['company', 'companies'],
      exportedOffers: ['offer', 'offers'],
      exportedRecruiters: ['likely recruiter', 'likely recruiters'],
      formations: ['course', 'courses'],
      groups: ['group', 'groups'],
      jobOffers: ['offer', 'offers'],
      jobs: ['offer', 'offers'],
      missions: ['mission', 'missions'],
      missionsLocales: ['mission locale', 'missions locales'],
      organizations: ['organization', 'organizations'],
      rows: ['row', 'rows'],
      trainingOrganizations: ['training centre', 'training centres'],
      workplaces: ['workplace', 'workplaces'],
    } satisfies Readonly<Record<string, Noun>>,
  },
  fr: {
    count: (shown, all, [one, many]) =>
      `${shown === all ? '' : `${shown.toLocaleString('fr')} sur `}${countInFrench(all, one, many)}`,
    where: (name, kilometres) =>
      kilometres === null ? `, ${name}` : ` à moins de ${kilometres.toLocaleString('fr')} km ${ofPlace(name)}`,
    whole: 'liste complète',
    dataOf: (date) => `données du ${formatMoment(date)}`,
    inParis: 'les jours sont ceux de Paris',
    nouns: {
      answers: ['réponse', 'réponses'],
      certifications: ['certification', 'certifications'],
      communes: ['commune', 'communes'],
      companies: ['établissement', 'établissements'],
      exportedOffers: ['offre', 'offres'],
      exportedRecruiters: ['recruteur probable', 'recruteurs probables'],
      formations: ['formation', 'formations'],
      groups: ['groupe', 'groupes'],
      jobOffers: ['offre', 'offres'],
      jobs: ['offre', 'offres'],
      missions: ['mission', 'missions'],
      missionsLocales: ['mission locale', 'missions locales'],
      organizations: ['organisation', 'organisations'],
      rows: ['ligne', 'lignes'],
      trainingOrganizations: ['centre de formation', 'centres de formation'],
      workplaces: ['lieu de travail', 'lieux de travail'],
    },
  },
});

/** `de Rouen`, `d’Avignon`, `du Havre`, `des Ulis`. */
function ofPlace(name: string): string {
  const [, article, rest] = /^(Le|Les) (.+)$/.exec(name) ?? [];
  if (article !== undefined) return `${article === 'Le' ? 'du' : 'des'} ${rest}`;
  return /^[aeiouyâéèêëîïôœ]/i.test(name) ? `d’${name}` : `de ${name}`;
}
