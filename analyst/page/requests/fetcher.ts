import type { Fetcher } from '@graphiql/toolkit';
import { textsNow } from '../language/texts.js';
import type { Captures } from '../responses/captures.js';
import type { GraphqlRequest } from '../responses/query-result.js';
import { shown } from '../responses/shown.js';
import { ownKeys } from '../state/own-keys.js';
import type { Say } from '../state/page-state.js';
import { operationNameOf } from './operation-name.js';
import { describeFailure, sendQuery } from './send-query.js';
import { REQUEST_TEXTS } from './texts.js';

/** What the fetcher needs from the page. */
export interface FetcherOptions {
  readonly captures: Captures;
  /** The tab that sends the request. */
  activeTab(): string;
  /** Whether the JSON includes the trace. */
  showsTrace(): boolean;
  /** Shows a notice in a tab. */
  notify(say: Say, tab: string): void;
  dismissNotice(tab: string): void;
}

/**
 * Creates GraphiQL's fetcher. Unlike the default one, it can be cancelled: when GraphiQL unsubscribes, the request is
 * aborted, and the gateway cancels its upstream calls.
 */
export function createFetcher({ captures, activeTab, showsTrace, notify, dismissNotice }: FetcherOptions): Fetcher {
  return (parameters) => {
    const request: GraphqlRequest = { ...parameters, operationName: operationNameOf(parameters) };
    if (parameters.operationName === 'IntrospectionQuery') {
      return sendQuery(request, ownKeys.get()).then(({ response }) => ({ ...response }));
    }
    const tab = activeTab();
    const before = captures.of(tab);
    captures.delete(tab);
    dismissNotice(tab);
    /** Rows that may have taken many calls are restored after a run that returns none. */
    const giveBack = (why: Say): void => {
      if (before !== undefined) captures.set(tab, before);
      notify(before === undefined ? why : () => `${why()} ${textsNow(REQUEST_TEXTS).before}`, tab);
    };
    return {
      subscribe(observer: Observer) {
        const stop = new AbortController();
        let isOver = false;
        sendQuery(request, ownKeys.get(), stop.signal).then(
          (result) => {
            if (stop.signal.aborted) return;
            isOver = true;
            captures.set(tab, result);
            observer.next(shown(result, showsTrace()));
            observer.complete();
          },
          (error) => {
            if (stop.signal.aborted) return;
            isOver = true;
            const why: Say = () => describeFailure(error);
            observer.error({ message: why() });
            giveBack(why);
          },
        );
        return {
          unsubscribe() {
            stop.abort();
            if (!isOver) giveBack(() => textsNow(REQUEST_TEXTS).stopped);
          },
        };
      },
    };
  };
}

/** GraphiQL's receiver of a response. */
interface Observer {
  next(result: Record<string, unknown>): void;
  error(error: unknown): void;
  complete(): void;
}
