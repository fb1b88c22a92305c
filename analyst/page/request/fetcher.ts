import type { Fetcher } from '@graphiql/toolkit';
import { formatBytes } from '../elements/format.js';
import { defineTexts, textsNow } from '../state/language.js';
import { type Captures, ownKeys, type Say } from '../state/page-state.js';
import type { GraphqlRequest, QueryResult } from '../state/query-result.js';
import { operationNameOf } from './operation.js';
import { describeFailure, sendQuery } from './send-query.js';
import { REQUEST_TEXTS } from './texts.js';

/** What the fetcher needs from the page. */
interface FetcherOptions {
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

/** Larger responses are not shown as JSON, which would freeze the page (14.6 MB: 1.7 s, 1.2 GB of heap). */
const MAX_EDITOR_BYTES = 5 * 1024 * 1024;

/** The content of the JSON editor: the response, its `extensions` on request, or a note. */
export function shown({ response, trace, bytes }: QueryResult, withTrace: boolean): Record<string, unknown> {
  if (bytes < MAX_EDITOR_BYTES)
    return { ...response, ...(withTrace && trace && { extensions: { passerelle: trace } }) };
  return { note: textsNow(RESPONSE_TEXTS).tooLarge(formatBytes(bytes)) };
}

/** Texts shown in place of a response. */
const RESPONSE_TEXTS = defineTexts({
  en: { tooLarge: (size: string) => `${size} of JSON is too large for the editor. Use the table, or download it.` },
  fr: { tooLarge: (size) => `${size} de JSON sont trop pour l’éditeur. Voyez le tableau, ou téléchargez la réponse.` },
});
