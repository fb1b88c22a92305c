/** What threads do with the database of an export, and what they say where it fails. */
import { Sqlite } from '../../../database/sqlite.js';
import { type CountsWanted, LoadedExport, type PageWanted, type Question } from './ask.js';
import { ExportLoad, type LoadOptions } from './load.js';
import type { DimensionName } from './stored-rows.js';

/** A step of a load. */
export type LoadTask =
  | { readonly do: 'start'; readonly options: LoadOptions }
  | { readonly do: 'push'; readonly piece: Uint8Array }
  | { readonly do: 'end' }
  | { readonly do: 'finish' }
  | { readonly do: 'stop' };

/** A question to an export. */
export type AskTask =
  | { readonly do: 'page'; readonly question: Question; readonly wanted: PageWanted }
  | { readonly do: 'total'; readonly question: Question }
  | { readonly do: 'count'; readonly question: Question; readonly wanted: CountsWanted }
  | { readonly do: 'labels'; readonly name: DimensionName }
  | { readonly do: 'rowsOf'; readonly sirets: readonly string[] }
  | { readonly do: 'texts'; readonly rows: readonly number[] };

/** What a task gave, or why it failed: errors lose their class between threads. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly failure: { readonly name: string; readonly code: unknown; readonly message: string } };

/** Does the steps of one load. */
export function loading(): (task: LoadTask) => Outcome {
  let load: ExportLoad | null = null;
  let steps: Generator<number, void> | null = null;
  return (task) =>
    outcomeOf(() => {
      if (task.do === 'start') load = new ExportLoad(task.options);
      if (load === null) throw new Error('No load was started.');
      if (task.do === 'stop') return load.close();
      if (task.do === 'push') return load.push(task.piece);
      if (task.do === 'end') return load.end();
      if (task.do !== 'finish') return null;
      steps ??= load.finish();
      const step = steps.next();
      return step.done === true ? null : step.value;
    });
}

/** Answers questions to the file at a path. */
export function answering(path: string): (task: AskTask) => Outcome {
  let file: LoadedExport | null = null;
  return (task) =>
    outcomeOf(() => {
      file ??= new LoadedExport(Sqlite.read(path));
      switch (task.do) {
        case 'page':
          return file.page(task.question, task.wanted);
        case 'total':
          return file.total(task.question);
        case 'count':
          return file.count(task.question, task.wanted);
        case 'labels':
          return file.labels(task.name);
        case 'rowsOf':
          return file.rowsOf(task.sirets);
        case 'texts':
          return file.texts(task.rows);
      }
    });
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    return { result: work() };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { failure: { name, message, code: (error as { readonly code?: unknown }).code ?? null } };
  }
}
