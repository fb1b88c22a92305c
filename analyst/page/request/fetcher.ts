import type { Fetcher } from '@graphiql/toolkit';
import { formatBytes } from '../elements/format.js';
import { addEntry } from '../state/history.js';
import { textsNow } from '../state/language.js';
import { changePage, dismissNotice, notify, page, type Say, setResult } from '../state/page-state.js';
import type { GraphqlRequest, QueryResult } from '../state/query-result.js';
import { shareFragment } from '../state/sharing.js';
import { mayRun, writesOf } from './linked-writes.js';
import { operationNameOf } from './operation.js';
import { describeFailure, keyHeaders, REQUEST_TEXTS, sendQuery } from './send-query.js';

/**
 * GraphiQL's fetcher. Unlike the default one, it can be cancelled: when GraphiQL unsubscribes, the request is aborted,
 * and the gateway cancels its upstream calls.
 */
export const fetcher: Fetcher = (parameters, options) => {
  const request: GraphqlRequest = { ...parameters, operationName: operationNameOf(parameters) };
  if (parameters.operationName === 'IntrospectionQuery') {
    return sendQuery(request).then(({ response }) => ({ ...response }));
  }
  const { tab, results, keys } = page.get();
  if (!mayRun(request.query, { ...keyHeaders(keys), ...options?.headers })) {
    notify(() => textsNow(REQUEST_TEXTS).notRun, tab);
    return {
      subscribe(observer: Observer) {
        // Before GraphiQL has the subscription it would never be over, and the next run would only stop it.
        queueMicrotask(() => observer.complete());
        return { unsubscribe() {} };
      },
    };
  }
  const before = results.get(tab);
  changePage({ results: new Map([...results].filter(([other]) => other !== tab)) });
  dismissNotice(tab);
  /** Rows that may have taken many calls are restored after a run that returns none. */
  const giveBack = (why: Say): void => {
    if (before !== undefined) setResult(tab, before);
    notify(before === undefined ? why : () => `${why()} ${textsNow(REQUEST_TEXTS).before}`, tab);
  };
  return {
    subscribe(observer: Observer) {
      const stop = new AbortController();
      let isOver = false;
      sendQuery(request, { signal: stop.signal, headers: options?.headers }).then(
        (result) => {
          if (stop.signal.aborted) return;
          isOver = true;
          setResult(tab, result);
          addToHistory(request, result);
          observer.next(shown(result, page.get().showsTrace));
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

/** Puts a query that was run into the list of what was asked; never a mutation, whose values may be somebody's own. */
function addToHistory({ query, variables, operationName }: GraphqlRequest, { status }: QueryResult): void {
  if (status !== 200 || writesOf(query).length > 0) return;
  const values = variables && Object.keys(variables).length > 0 ? JSON.stringify(variables) : '';
  const title = [operationName ?? query.slice(0, 60), values].filter(Boolean).join(' ');
  addEntry(title, shareFragment({ query, variables: values }));
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
  return { note: textsNow(REQUEST_TEXTS).tooLarge(formatBytes(bytes)) };
}
