import { buildSchema } from 'graphql';
import { serveTasks } from '../../runtime/process/task-thread.js';
import { documentErrors } from './document-rules.js';

// Runs in a thread of its own: validates one document after another.

/** What the thread is started with. */
export interface DocumentWorkerData {
  /** The SDL of what clients may select. */
  readonly api: string;
  readonly introspection: boolean;
}

serveTasks(({ api, introspection }: DocumentWorkerData) => {
  const schema = buildSchema(api, { noLocation: true });
  return (text: string) => documentErrors(schema, text, introspection);
});
