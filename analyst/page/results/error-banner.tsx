import { useGraphiQL } from '@graphiql/react';
import { OperationTypeNode } from 'graphql';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../elements/button.js';
import { toFrenchMessage } from '../request/french-errors.js';
import { operationOf } from '../request/operation.js';
import { describeFailure, sendQuery } from '../request/send-query.js';
import { ConnectLink, openKeyOf } from '../sidebar/credentials.js';
import { language, useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { notify, page, resultOf, setResult } from '../state/page-state.js';
import {
  combine,
  type GraphqlRequest,
  type Location,
  type QueryResult,
  type ResponseError,
} from '../state/query-result.js';
import { useStore } from '../state/store.js';
import { describeMissing, mergeMissing, missingParts, missingQuery } from './missing.js';
import { ERROR_TEXTS, type Missing } from './texts.js';

/** Messages that are shown before the list is expanded. */
const SHOWN = 3;

/** Shows which sources failed, how many rows lack which fields, and what can be done about it. */
export function ErrorBanner({ result }: { result: QueryResult }) {
  const errors = result.response.errors ?? [];
  const texts = useTexts(ERROR_TEXTS);
  const parts = missingParts(errors);
  const [first, rest] = [parts.slice(0, SHOWN), parts.slice(SHOWN)];
  return (
    <div className="pa-banner">
      <div role="alert">
        <Parts parts={first} />
      </div>
      {rest.length > 0 && (
        <details>
          <summary>{texts.more(rest.length)}</summary>
          <Parts parts={rest} />
        </details>
      )}
      <RunAgain result={result} />
    </div>
  );
}

function Parts({ parts }: { parts: readonly Missing[] }) {
  return (
    <ul>
      {parts.map((part) => (
        <li key={`${part.service} ${part.code} ${part.place}`}>
          {describeMissing(part)} <Message text={part.message} /> {part.at && <Jump to={part.at} />}{' '}
          <Remedy part={part} />
        </li>
      ))}
    </ul>
  );
}

/** Where the query is wrong; leads there while the editors are unfolded. */
function Jump({ to: { line, column } }: { to: Location }) {
  const texts = useTexts(ERROR_TEXTS);
  const editor = useGraphiQL((state) => state.queryEditor);
  const isQuestion = useStore(mode) === 'question';
  const jump = (): void => {
    editor?.setPosition({ lineNumber: line, column });
    editor?.revealLineInCenter(line);
    editor?.focus();
  };
  if (isQuestion) return null;
  return <Button onClick={jump}>{texts.at(line, column)}</Button>;
}

/** The message in the page's language; beside one without a translation stands what its code means. */
function Message({ text }: { text: string }) {
  const said = useStore(language) === 'fr' ? toFrenchMessage(text) : text;
  if (said !== null) return <span>{said}</span>;
  return (
    <span lang="en" title={text}>
      …
    </span>
  );
}

/** Codes for which a key of the user's own may help. */
const KEY_HELPS = new Set([
  'CREDENTIALS_REQUIRED',
  'CREDENTIALS_REJECTED',
  'PERMISSION_DENIED',
  'RATE_LIMITED',
  'SOURCE_OFF',
]);

/** What helps: a login, or a key. */
function Remedy({ part: { service, code } }: { part: Missing }) {
  const texts = useTexts(ERROR_TEXTS);
  if (service === undefined) return null;
  if (service === 'waste-identity') {
    if (code !== 'CREDENTIALS_REQUIRED' && code !== 'RECONNECT_REQUIRED') return null;
    return <ConnectLink isAgain={code === 'RECONNECT_REQUIRED'} />;
  }
  if (!KEY_HELPS.has(code)) return null;
  return <Button onClick={() => openKeyOf(service)}>{texts.addKey}</Button>;
}

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
function RunAgain({ result }: { result: QueryResult }) {
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
      <Button title={words.hint} onClick={() => setLeft(seconds)}>
        {seconds === 0 ? words.now : words.after(seconds)}
      </Button>
    );
  }
  return (
    <span>
      {left > 0 ? texts.waiting(service, left) : texts.asking}{' '}
      <Button
        onClick={() => {
          stop.current?.abort();
          setLeft(null);
        }}
      >
        {texts.cancel}
      </Button>
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
  const tab = page.get().tab;
  const isShown = (): boolean => resultOf(tab) === result;
  try {
    const part = missing === null ? null : await sendQuery(missing, signal, result.headers);
    if (!isShown()) return;
    const whole = part === null ? null : completed(result, part);
    const next = whole ?? (await sendQuery(result.request, signal, result.headers));
    if (isShown()) setResult(tab, next);
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
