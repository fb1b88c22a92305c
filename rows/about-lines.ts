import { type RowChoice, writeRowChoice } from './row-choice.js';
import type { AboutLine } from './row-file.js';

/** Where the rows of a file come from. */
export interface RowOrigin {
  readonly request: {
    readonly query?: string | undefined;
    readonly variables?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly writtenAt: Date;
  readonly path: string;
  readonly choice: RowChoice;
  /** The services that the rows come from, called now or earlier; null if unknown. */
  readonly services: readonly string[] | null;
  /** Upstream calls; null if unknown. */
  readonly calls: number | null;
  readonly errors: number;
  readonly language: keyof typeof TEXTS;
}

/** The lines of a file's second sheet: query, variables, time, sources, calls and what is incomplete. */
export function aboutLines(origin: RowOrigin): AboutLine[] {
  const { request, writtenAt, path, choice, services, calls, errors, language } = origin;
  const chosen = new URLSearchParams(writeRowChoice(choice));
  const texts = TEXTS[language];
  return [
    [texts.query, request.query ?? ''],
    [texts.variables, JSON.stringify(request.variables ?? {})],
    [texts.list, path],
    ...[...chosen].map(([name, value]): AboutLine => [name, value]),
    [texts.writtenAt, writtenAt.toISOString()],
    [texts.times, texts.inUtc],
    ...(services === null ? [] : [[texts.sources, services.join(', ') || texts.fromCache] as const]),
    ...(calls === null ? [] : [[texts.calls, calls] as const]),
    ...(errors === 0 ? [] : [[texts.errors, texts.emptyCells(errors)] as const]),
  ];
}

const TEXTS = {
  en: {
    query: 'Query',
    variables: 'Variables',
    list: 'List',
    writtenAt: 'Written at (UTC)',
    times: 'Times',
    inUtc: 'Cells with a time are in UTC.',
    sources: 'Sources',
    fromCache: 'none called: answered from the cache',
    calls: 'Upstream calls',
    errors: 'Errors',
    emptyCells: (errors: number) => `${errors}: fields that failed are empty cells`,
  },
  fr: {
    query: 'Requête',
    variables: 'Variables',
    list: 'Liste',
    writtenAt: 'Écrit le (UTC)',
    times: 'Heures',
    inUtc: 'Les cellules avec une heure sont en UTC.',
    sources: 'Sources',
    fromCache: 'aucune n’a été appelée : réponse du cache',
    calls: 'Appels aux services',
    errors: 'Erreurs',
    emptyCells: (errors: number) => `${errors} : les champs en échec sont des cellules vides`,
  },
};
