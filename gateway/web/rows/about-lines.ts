import { type RowChoice, writeRowChoice } from './row-choice.js';
import type { AboutLine } from './row-file.js';

/** Where the rows of a file are from. */
export interface RowOrigin {
  readonly request: {
    readonly query?: string | undefined;
    readonly variables?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly writtenAt: Date;
  readonly path: string;
  readonly choice: RowChoice;
  /** The services that were called. */
  readonly services: readonly string[];
  /** Upstream calls; null if unknown. */
  readonly calls: number | null;
  readonly errors: number;
  /** Whether the list has further pages, which are not in the file. */
  readonly isOnePage: boolean;
}

/** The lines of a file's second sheet: query, variables, time, sources, calls and what is incomplete. */
export function aboutLines(origin: RowOrigin): AboutLine[] {
  const { request, writtenAt, path, choice, services, calls, errors, isOnePage } = origin;
  const chosen = new URLSearchParams(writeRowChoice(choice));
  return [
    ['Query', request.query ?? ''],
    ['Variables', JSON.stringify(request.variables ?? {})],
    ['List', path],
    ...[...chosen].map(([name, value]): AboutLine => [name, value]),
    ['Written at (UTC)', writtenAt.toISOString()],
    ['Times', 'Cells with a time are in UTC.'],
    ['Sources', services.length === 0 ? 'none was called: from the cache' : services.join(', ')],
    ...(calls === null ? [] : [['Upstream calls', calls] as const]),
    ...(errors === 0 ? [] : [['Errors', `${errors}: fields that failed are empty cells`] as const]),
    ...(isOnePage ? [['Incomplete', 'one page of a longer list'] as const] : []),
  ];
}
