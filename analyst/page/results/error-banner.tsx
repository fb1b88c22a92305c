import { OperationTypeNode } from 'graphql';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../elements/button.js';
import { operationOf } from '../request/operation.js';
import { describeFailure, sendQuery } from '../request/send-query.js';
import { ConnectLink, openKeyOf } from '../sidebar/credentials.js';
import { editors } from '../state/code.js';
import { textsNow, useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { notify, page, resultOf, setResult } from '../state/page-state.js';
import type { GraphqlRequest, Location, QueryResult, ResponseError } from '../state/query-result.js';
import { useStore } from '../state/store.js';
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
          {textsNow(ERROR_TEXTS).missing(part)} <Message text={part.message} /> {part.at && <Jump to={part.at} />}{' '}
          <Remedy part={part} />
        </li>
      ))}
    </ul>
  );
}

/** Where the query is wrong; leads there while the editors are unfolded. */
function Jump({ to: { line, column } }: { to: Location }) {
  const texts = useTexts(ERROR_TEXTS);
  const editor = useStore(editors);
  const isQuestion = useStore(mode) === 'question';
  if (isQuestion || editor === null) return null;
  return <Button onClick={() => editor.goTo(line, column)}>{texts.at(line, column)}</Button>;
}

/** The gateway's own message, which is English. */
function Message({ text }: { text: string }) {
  return <span lang="en">{text}</span>;
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
 * Sends the whole query again where another try may complete it, after the wait that a quota needs: what has arrived is
 * cached, so only what is missing costs calls. A mutation is only ever sent by the button that runs the editor.
 */
function RunAgain({ result }: { result: QueryResult }) {
  const texts = useTexts(ERROR_TEXTS);
  const [left, setLeft] = useState<number | null>(null);
  const errors = (result.response.errors ?? []).filter(isRetryable);
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
    void repeat(result, signal).then(() => signal.aborted || setLeft(null));
  }, [left, result]);
  if (errors.length === 0 || !isQuery(result.request)) return null;
  const waits = errors.map(({ extensions }) => extensions?.retryAfterSeconds);
  const seconds = Math.max(0, ...waits.map((wait) => Math.ceil(wait ?? 0)));
  if (seconds > MAX_WAIT_SECONDS) return null;
  const service = errors.find((_, index) => waits[index] !== undefined)?.extensions?.service ?? '';
  const words = texts.whole;
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

function isQuery(request: GraphqlRequest): boolean {
  return operationOf(request)?.operation === OperationTypeNode.QUERY;
}

/** Sends again the request that failed, even if the editor has changed; notifies the user if there is no response. */
async function repeat(result: QueryResult, signal: AbortSignal): Promise<void> {
  const { tab } = page.get();
  try {
    const next = await sendQuery(result.request, { signal, headers: result.headers });
    if (resultOf(tab) === result) setResult(tab, { ...next, ...(result.asked && { asked: result.asked }) });
  } catch (error) {
    if (!signal.aborted) notify(() => describeFailure(error), tab);
  }
}

/** What is missing in a response and why, the most rows first. */
export function missingParts(errors: readonly ResponseError[]): Missing[] {
  const parts = new Map<string, Missing & { rowKeys: Set<string> }>();
  for (const { message, path = [], locations = [], extensions = {} } of errors) {
    const { service, code = 'ERROR', retryAfterSeconds } = extensions;
    const place = path
      .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
      .join('')
      .replace(/^\./, '');
    const key = `${service}\n${code}\n${place}`;
    const known = {
      service,
      code,
      place,
      rows: 0,
      message,
      retryAfterSeconds,
      at: locations[0],
      rowKeys: new Set<string>(),
    };
    const part = parts.get(key) ?? known;
    parts.set(key, part);
    part.rowKeys.add(path.slice(0, path.findLastIndex((step) => typeof step === 'number') + 1).join('.'));
  }
  return [...parts.values()]
    .map(({ rowKeys, ...part }) => ({ ...part, rows: rowKeys.size }))
    .sort((one, other) => other.rows - one.rows);
}
