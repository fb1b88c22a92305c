import { OperationTypeNode } from 'graphql';
import { useEffect, useMemo, useRef, useState } from 'react';
import { mergeMissing } from '../again/merge-missing.js';
import { missingQuery } from '../again/missing-query.js';
import { useTexts } from '../language/texts.js';
import { combine } from '../paging/combine.js';
import { operationOf } from '../requests/operation-name.js';
import { describeFailure, sendQuery } from '../requests/send-query.js';
import type { GraphqlRequest, QueryResult, ResponseError } from '../responses/query-result.js';
import { ownKeys } from '../state/own-keys.js';
import { activeTab, captures, notify } from '../state/page-state.js';
import { ERROR_TEXTS } from './error-texts.js';

const RETRYABLE = new Set([
  'RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'GATEWAY_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

/** In seconds. A longer wait is not offered. */
const MAX_WAIT_SECONDS = 15 * 60;

/** Whether another try may return what an error left out. */
function isRetryable({ extensions }: ResponseError): boolean {
  return RETRYABLE.has(extensions?.code ?? '');
}

/**
 * Requests again what another try may complete, after the wait that a quota needs: only what is missing if the query
 * can be cut down to that, or else everything. A mutation is only ever sent by the button that runs the editor.
 */
export function RunAgain({ result }: { result: QueryResult }) {
  const texts = useTexts(ERROR_TEXTS);
  const [left, setLeft] = useState<number | null>(null);
  const errors = (result.response.errors ?? []).filter(isRetryable);
  const missing = useMemo(() => requestOf(result), [result]);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => {
    // The countdown may have been started for a query whose response has since been replaced.
    if (left === null || !isQuery(result.request)) return;
    if (left > 0) {
      const timer = window.setTimeout(() => setLeft(left - 1), 1000);
      return () => window.clearTimeout(timer);
    }
    const sending = new AbortController();
    stop.current = sending;
    const { signal } = sending;
    void repeat(result, missing, signal).then(() => signal.aborted || setLeft(null));
  }, [left, missing, result]);
  if (errors.length === 0 || !isQuery(result.request)) return null;
  const waits = errors.map(({ extensions }) => extensions?.retryAfterSeconds);
  const seconds = Math.max(0, ...waits.map((wait) => Math.ceil(wait ?? 0)));
  if (seconds > MAX_WAIT_SECONDS) return null;
  const service = errors.find((_, index) => waits[index] !== undefined)?.extensions?.service ?? '';
  const words = missing === null ? texts.whole : texts.onlyMissing;
  if (left === null) {
    return (
      <button type="button" title={words.hint} onClick={() => setLeft(seconds)}>
        {seconds === 0 ? words.now : words.after(seconds)}
      </button>
    );
  }
  return (
    <span>
      {left > 0 ? texts.waiting(service, left) : texts.asking}{' '}
      <button
        type="button"
        onClick={() => {
          stop.current?.abort();
          setLeft(null);
        }}
      >
        {texts.cancel}
      </button>
    </span>
  );
}

/** The request for what is missing; null for everything, also if the rows of many pages are shown. */
function requestOf({ request, response: { data, errors = [] }, pages }: QueryResult): GraphqlRequest | null {
  if (!data || pages !== undefined) return null;
  return missingQuery(request, errors.filter(isRetryable));
}

function isQuery(request: GraphqlRequest): boolean {
  return operationOf(request)?.operation === OperationTypeNode.QUERY;
}

/** Sends again the request that failed, even if the editor has changed; notifies the user if there is no response. */
async function repeat(result: QueryResult, missing: GraphqlRequest | null, signal: AbortSignal): Promise<void> {
  const tab = activeTab.get();
  const isShown = (): boolean => captures.of(tab) === result;
  try {
    const part = missing === null ? null : await sendQuery(missing, ownKeys.get(), signal);
    if (!isShown()) return;
    const whole = part === null ? null : completed(result, part);
    const next = whole ?? (await sendQuery(result.request, ownKeys.get(), signal));
    if (isShown()) captures.set(tab, next);
  } catch (error) {
    if (!signal.aborted) notify(() => describeFailure(error), tab);
  }
}

/** The shown response with what was missing filled in; null if that is impossible because the rows have changed. */
function completed(result: QueryResult, fresh: QueryResult): QueryResult | null {
  const { data, errors = [] } = result.response;
  const merged = data && fresh.response.data ? mergeMissing(data, fresh.response.data) : null;
  if (merged === null) return null;
  const others = errors.filter((error) => !isRetryable(error));
  const known = new Set(others.map(({ path }) => JSON.stringify(path)));
  const left = [...others, ...(fresh.response.errors ?? []).filter(({ path }) => !known.has(JSON.stringify(path)))];
  const response = { data: merged, ...(left.length > 0 && { errors: left }) };
  return { ...combine(result, fresh), request: result.request, response };
}
