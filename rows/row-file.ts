import type { StoredData } from '../kernel/trace.js';
import type { Cell } from './cells.js';
import type { LonLat, Position } from './layout.js';
import { type RowChoice, writeRowChoice } from './row-choice.js';

/** The columns and positions of a file. */
export interface RowHead {
  readonly columns: readonly { readonly name: string }[];
  /** A map uses the first. */
  readonly positions: readonly Position[];
  /** For the file's own words, such as the names of its sheets; English if omitted. */
  readonly language?: 'en' | 'fr';
}

/** A row to be written. */
export interface WritableRow {
  /** In the order of the head's columns. */
  cells(): readonly Cell[];
  at(position: Position): LonLat | null;
}

/** A chunk of a file, ready to be sent. */
export type FilePart = string | Uint8Array;

/** A line about a file: such as its query, or when it was written. */
export type AboutLine = readonly [name: string, value: string | number];

/** What goes at the end of a file, or beside its rows. */
export interface FileEnd {
  /** What the file lacks. That it is incomplete is added by the format, in a form that cannot be mistaken for a row. */
  readonly note?: string | null;
  /** Lists without columns. CSV, which has no room beside its rows, leaves this out: its rows are complete. */
  readonly omitted?: string | null;
  /** Where the rows come from, for formats that have room for it. */
  readonly about?: readonly AboutLine[];
}

/** The last line of a file whose format has no comments. */
export function lastLine(note: string, language: RowHead['language'] = 'en'): string {
  return `# ${language === 'fr' ? 'incomplet :' : 'incomplete:'} ${note}`;
}

/** A file being written: each call returns the chunks that are ready. */
export interface RowFile {
  add(rows: Iterable<WritableRow>): Iterable<FilePart>;
  /** Ends the file. */
  end(end: FileEnd): Iterable<FilePart>;
  /** Characters that the rows have taken so far, before any compression. */
  size(): number;
}

/** Characters of a chunk of text. */
const PART = 64 * 1024;

/** Collects text until there is enough for a chunk. */
export class TextBuffer {
  #text = '';
  /** Characters that were written in total. */
  size = 0;

  write(more: string): void {
    this.#text += more;
    this.size += more.length;
  }

  /** The text so far, if it is long enough or `flush` is set. */
  *take(flush = false): Iterable<string> {
    const ready = this.#text;
    if (ready === '' || !(flush || ready.length >= PART)) return;
    this.#text = '';
    yield ready;
  }
}

/** Where the rows of a file come from. */
export interface FileProvenance {
  readonly request: {
    readonly query?: string | undefined;
    readonly variables?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly writtenAt: Date;
  readonly path: string;
  readonly choice: RowChoice;
  /** The services that the rows come from, called now or earlier; null if unknown. */
  readonly services: readonly string[] | null;
  /** What of theirs was read without a call, and the service's date of it. */
  readonly stored?: readonly StoredData[];
  /** Upstream calls; null if unknown. */
  readonly calls: number | null;
  readonly errors: number;
  readonly language: keyof typeof TEXTS;
}

/** The lines of a file's second sheet: query, variables, time, sources, calls and what is incomplete. */
export function aboutLines(provenance: FileProvenance): AboutLine[] {
  const { request, writtenAt, path, choice, services, stored = [], calls, errors, language } = provenance;
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
    ...stored.map(({ service, asOf }): AboutLine => [texts.dataOf(service), asOf]),
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
    dataOf: (service: string) => `Data of ${service} as of (UTC)`,
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
    dataOf: (service: string) => `Données de ${service} du (UTC)`,
    fromCache: 'aucune n’a été appelée : réponse du cache',
    calls: 'Appels aux services',
    errors: 'Erreurs',
    emptyCells: (errors: number) => `${errors} : les champs en échec sont des cellules vides`,
  },
};
