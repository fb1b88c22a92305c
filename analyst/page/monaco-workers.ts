import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

const WORKERS: Readonly<Record<string, new () => Worker>> = { json: JsonWorker, graphql: GraphqlWorker };

/** Configures the editor's workers as files of our own origin (the library's own set-up also writes to the console). */
export function setUpWorkers(): void {
  window.MonacoEnvironment = {
    getWorker: (_id: string, label: string) => new (WORKERS[label] ?? EditorWorker)(),
  };
}
