import type { Fetcher } from '@graphiql/toolkit';
import { ask } from './ask.js';
import type { Asked, Question } from './asked.js';
import type { Captures } from './captures.js';
import type { KnownQuotas } from './known-quotas.js';
import { ownKeys } from './own-keys.js';

/** From this size on, the JSON editor shows a note: filling it would freeze the page (14.6 MB: 1.7 s, 1.2 GB of heap). */
const SHOWN_BYTES = 5 * 1024 * 1024;

export interface FetcherOptions {
  readonly captures: Captures;
  readonly quotas: KnownQuotas;
  /** The tab that asks. */
  activeTab(): string;
}

/**
 * GraphiQL's way to the gateway. Unlike the stock one it can be stopped: GraphiQL unsubscribes, the request aborts,
 * and the gateway lets go of its calls.
 */
export function createFetcher({ captures, quotas, activeTab }: FetcherOptions): Fetcher {
  return (parameters) => {
    const question: Question = parameters;
    if (parameters.operationName === 'IntrospectionQuery') {
      return ask(question, ownKeys.get()).then(({ answer }) => ({ ...answer }));
    }
    const tab = activeTab();
    captures.drop(tab);
    return {
      subscribe(observer: Observer) {
        const stop = new AbortController();
        ask(question, ownKeys.get(), stop.signal).then(
          (asked) => {
            quotas.learn(asked.trace?.calls ?? []);
            captures.keep(tab, asked);
            observer.next(shown(asked));
            observer.complete();
          },
          (error) => {
            if (!stop.signal.aborted) observer.error({ message: `No answer: ${error.message}` });
          },
        );
        return { unsubscribe: () => stop.abort() };
      },
    };
  };
}

/** Where GraphiQL takes an answer in. */
interface Observer {
  next(result: Record<string, unknown>): void;
  error(error: unknown): void;
  complete(): void;
}

/** What the JSON editor shows of an answer. */
export function shown({ answer, bytes }: Asked): Record<string, unknown> {
  if (bytes < SHOWN_BYTES) return { ...answer };
  const megabytes = (bytes / 1024 / 1024).toFixed(1);
  return { note: `${megabytes} MB of JSON are too much for the editor. See the table, or download it.` };
}
