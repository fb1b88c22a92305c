import criteria from './criteria.json' with { type: 'json' };
import associations from './subjects/associations.json' with { type: 'json' };
import certifications from './subjects/certifications.json' with { type: 'json' };
import communes from './subjects/communes.json' with { type: 'json' };
import courses from './subjects/courses.json' with { type: 'json' };
import examples from './subjects/examples.json' with { type: 'json' };
import missions from './subjects/missions.json' with { type: 'json' };
import missionsLocales from './subjects/missions-locales.json' with { type: 'json' };
import offers from './subjects/offers.json' with { type: 'json' };
import recruiters from './subjects/recruiters.json' with { type: 'json' };
import trainingCentres from './subjects/training-centres.json' with { type: 'json' };

/*
 * A question is a subject (missions, offers ...), a form (list, map, counts by one or two keys) and values of criteria.
 * What there is to ask is data: a file for each subject, and `criteria.json`. This folder knows neither a page nor a
 * server, so any door may compose questions: `compose` writes them as GraphQL, `words` reads them from a sentence,
 * `address` keeps them in a link.
 */

/** A text in each language. */
export type Named<T = string> = Readonly<Record<'en' | 'fr', T>>;

/** A code with its name in each language, and the words that mean it. */
export interface NamedValue extends Named {
  readonly code: string;
  readonly words?: readonly string[];
  /** Whether it is meant even where its words name the subject. */
  readonly strong?: boolean;
}

/** What a question can be narrowed by. */
export interface Criterion {
  readonly name: string;
  readonly title: Named;
  readonly kind: 'place' | 'occupation' | 'values' | 'period' | 'partner' | 'text' | 'ids' | 'number';
  readonly words?: readonly string[];
  /** Of the kind `values`: all that there are. */
  readonly values?: readonly NamedValue[];
  /** Of the kind `ids`: how one is written. */
  readonly form?: string;
}

/** What a subject can be counted by: at the source (`count`), or by a column of its rows. */
export interface Key {
  readonly name: string;
  readonly title: Named;
  readonly words: readonly string[];
  readonly count?: string;
  readonly column?: string;
}

/** One way to ask the graph for a subject; the first whose places and criteria fit is used. */
export interface Way {
  /** By kind of place, what takes it: an argument, or a word that `compose` explains. */
  readonly place: Readonly<Record<string, string>>;
  /** By criterion, what takes it: `argument: Type`, or a word that `compose` explains. */
  readonly takes: Readonly<Record<string, string>>;
  /** Types of the variables in the texts below. */
  readonly types?: Readonly<Record<string, string>>;
  /** Criteria without which it cannot be asked. */
  readonly needs?: readonly string[];
  /** The selection of rows, with ARGS where arguments stand. */
  readonly list: string;
  readonly path: string;
  /** The selection of counts by `$by`. */
  readonly counts?: string;
  readonly countsPath?: string;
  /** Where columns of keys begin. */
  readonly prefix?: string;
  /** Rows of a page; absent where the list has no pages. */
  readonly first?: number;
}

/** What can be asked for. */
export interface Subject {
  readonly name: string;
  /** One, and several. */
  readonly title: Named<readonly string[]>;
  readonly nouns: readonly string[];
  /** Nouns that name it only where no other noun does. */
  readonly weakNouns?: readonly string[];
  /** Words that are true of all its rows. */
  readonly implied: readonly string[];
  /** Kilometres that "in" and "near" a commune mean, where the question does not say. */
  readonly radius?: { readonly in: number; readonly near: number };
  /** The key that it is counted by if none is named. */
  readonly usual: string;
  /** Whether a commune that a sentence names is the words of the question. */
  readonly placeAsWords?: boolean;
  readonly ways: readonly Way[];
  /** The graph's enum of its keys. */
  readonly by?: string;
  readonly keys: readonly Key[];
  /** Of an example: what it is good for, and the view that shows it best. */
  readonly about?: Named;
  readonly view?: 'Table' | 'Map';
}

/** The forms of an answer. */
export const FORMS = ['list', 'map', 'count'] as const;
/** One of the forms. */
export type Form = (typeof FORMS)[number];

/** A question: all values are texts, as in a link. */
export interface Question {
  readonly subject: string;
  readonly form: Form;
  /** Names of one or two keys, for counts. */
  readonly by: readonly string[];
  /** By name of the criterion, its values; those of one are alternatives. */
  readonly criteria: Readonly<Record<string, readonly string[]>>;
}

/** Questions across subjects, which no form of one can express. */
export const EXAMPLES = examples as unknown as readonly Subject[];

/** All subjects, in the order in which they are offered. */
export const SUBJECTS = [
  ...[missions, offers, recruiters, courses, trainingCentres, certifications, associations, missionsLocales, communes],
] as unknown as readonly Subject[];

/** All criteria, in the order in which they are offered. */
export const CRITERIA = criteria as unknown as readonly Criterion[];

/** The subject of a name; null if there is none. */
export function subjectOf(name: string): Subject | null {
  return [...SUBJECTS, ...EXAMPLES].find((one) => one.name === name) ?? null;
}

/** The criterion of a name; null if there is none. */
export function criterionOf(name: string): Criterion | null {
  return CRITERIA.find((one) => one.name === name) ?? null;
}

/** The criteria that a subject has, in their order. */
export function criteriaOf({ ways }: Subject): Criterion[] {
  const has = ({ name }: Criterion): boolean =>
    ways.some((way) =>
      name === 'first'
        ? way.first !== undefined
        : name === 'place'
          ? Object.keys(way.place).length > 0
          : Object.hasOwn(way.takes, name),
    );
  return CRITERIA.filter(has);
}

/** A place as a value of a question: its kind, its code, and kilometres around it. */
export interface Place {
  readonly kind: string;
  readonly code: string;
  readonly radius: number | null;
}

/** Reads a place such as `departement:35` or `commune:35238~30`; null for any other text. */
export function readPlace(value: string): Place | null {
  const [, kind = '', code = '', radius] = /^([a-z]+):([\dA-Z]{2,9})(?:~(\d{1,3}))?$/.exec(value) ?? [];
  return kind === '' ? null : { kind, code, radius: radius === undefined ? null : Number(radius) };
}

/** Writes a place as a value of a question. */
export function writePlace({ kind, code, radius }: Place): string {
  return `${kind}:${code}${radius === null ? '' : `~${radius}`}`;
}

/** A question with other values of a criterion; without it, if there are none. */
export function withValues(question: Question, name: string, values: readonly string[]): Question {
  const { [name]: _, ...others } = question.criteria;
  return { ...question, criteria: values.length === 0 ? others : { ...question.criteria, [name]: values } };
}
