import type { Fetcher } from '@graphiql/toolkit';
import { ask } from './ask.js';
import type { Question } from './asked.js';
import type { Captures } from './captures.js';
import { ownKeys } from './own-keys.js';
import { shown } from './shown.js';

export interface FetcherOptions {
  readonly captures: Captures;
  /** The tab that asks. */
  activeTab(): string;
  /** Whether the JSON shows the trace too. */
  showsTrace(): boolean;
}

/**
 * GraphiQL's way to the gateway. Unlike the stock one it can be stopped: GraphiQL unsubscribes, the request aborts,
 * and the gateway lets go of its calls.
 */
export function createFetcher({ captures, activeTab, showsTrace }: FetcherOptions): Fetcher {
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
            captures.keep(tab, asked);
            observer.next(shown(asked, showsTrace()));
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
