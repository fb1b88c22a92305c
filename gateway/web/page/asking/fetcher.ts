import type { Fetcher } from '@graphiql/toolkit';
import type { Question } from '../answers/asked.js';
import type { Captures } from '../answers/captures.js';
import { shown } from '../answers/shown.js';
import { ownKeys } from '../state/own-keys.js';
import { ask } from './ask.js';

export interface FetcherOptions {
  readonly captures: Captures;
  /** The tab that asks. */
  activeTab(): string;
  /** Whether the JSON shows the trace too. */
  showsTrace(): boolean;
  /** Says in a tab what became of its query; nothing to take back what was said. */
  tell(text: string, tab: string): void;
}

/**
 * GraphiQL's way to the gateway. Unlike the stock one it can be stopped: GraphiQL unsubscribes, the request aborts,
 * and the gateway lets go of its calls.
 */
export function createFetcher({ captures, activeTab, showsTrace, tell }: FetcherOptions): Fetcher {
  return (parameters) => {
    const question: Question = parameters;
    if (parameters.operationName === 'IntrospectionQuery') {
      return ask(question, ownKeys.get()).then(({ answer }) => ({ ...answer }));
    }
    const tab = activeTab();
    captures.drop(tab);
    tell('', tab);
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
            if (stop.signal.aborted) return;
            const message = `No answer: ${error.message}`;
            observer.error({ message });
            tell(message, tab);
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
