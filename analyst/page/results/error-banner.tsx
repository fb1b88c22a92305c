import { OperationTypeNode } from 'graphql';
import { useEffect, useState } from 'react';
import { Button } from '../elements/controls.js';
import { labelOfService } from '../elements/format.js';
import { frenchMeaning } from '../request/error-codes.js';
import { operationOf } from '../request/operation.js';
import { describeFailure, sendQuery } from '../request/send-query.js';
import { ConnectLink, openKeyOf } from '../sidebar/credentials.js';
import { editors } from '../state/code.js';
import { countInFrench, defineTexts, textsNow, useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { notify, page, resultOf, setResult } from '../state/page-state.js';
import type { Location, QueryResult, ResponseError } from '../state/query-result.js';
import { useStore } from '../state/store.js';

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
          {textsNow(ERROR_TEXTS).missing(part)} <span lang="en">{part.message}</span> {part.at && <Jump to={part.at} />}{' '}
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

/**
 * Sends the whole query again where another try may complete it: what has arrived is cached, so only what is missing
 * costs calls. A mutation is only ever sent by the button that runs the editor.
 */
function RunAgain({ result }: { result: QueryResult }) {
  const texts = useTexts(ERROR_TEXTS);
  const [sending, setSending] = useState<AbortController | null>(null);
  useEffect(() => () => sending?.abort(), [sending]);
  const isRetryable = result.response.errors?.some(({ extensions }) => RETRYABLE.has(extensions?.code ?? ''));
  if (!isRetryable || operationOf(result.request)?.operation !== OperationTypeNode.QUERY) return null;
  const send = async (): Promise<void> => {
    const own = new AbortController();
    setSending(own);
    await repeat(result, own.signal);
    if (!own.signal.aborted) setSending(null);
  };
  return (
    <Button title={texts.againHint} disabled={sending !== null} onClick={() => void send()}>
      {sending === null ? texts.again : texts.asking}
    </Button>
  );
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
  const parts = new Map<string, Omit<Missing, 'rows'> & { rowKeys: Set<string> }>();
  for (const { message, path = [], locations = [], extensions = {} } of errors) {
    const { service, code = 'ERROR', retryAfterSeconds } = extensions;
    const place = path
      .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
      .join('')
      .replace(/^\./, '');
    const key = `${service}\n${code}\n${place}`;
    const first = { service, code, place, message, retryAfterSeconds, at: locations[0] };
    const part = parts.get(key) ?? { ...first, rowKeys: new Set<string>() };
    parts.set(key, part);
    part.rowKeys.add(path.slice(0, path.findLastIndex((step) => typeof step === 'number') + 1).join('.'));
  }
  return [...parts.values()]
    .map(({ rowKeys, ...part }) => ({ ...part, rows: rowKeys.size }))
    .sort((one, other) => other.rows - one.rows);
}

/** The errors with one path pattern and one cause. */
interface Missing {
  /** The service that failed; undefined for an error of the query or the gateway. */
  readonly service: string | undefined;
  readonly code: string;
  /** A pattern such as `missions.nodes[].commune`; empty for the whole response. */
  readonly place: string;
  /** Number of rows of the innermost list that lack it. */
  readonly rows: number;
  /** The gateway's own message, in English. */
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  /** Where in the query, of an error of the query itself. */
  readonly at?: Location | undefined;
}

/** Texts of errors, and of what can be done about them. */
export const ERROR_TEXTS = defineTexts({
  en: {
    missing: ({ service, code, place, rows, retryAfterSeconds: seconds }: Missing) => {
      const inRows = `${rows} ${rows === 1 ? 'row lacks' : 'rows lack'} ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Missing: ${place}.`;
      const when = seconds === undefined ? '' : ` Try again in ${seconds} s.`;
      return `${service ?? 'The query'}: ${code}.${what}${when}`;
    },
    more: (count: number) => `${count.toLocaleString('en')} more`,
    addKey: 'Add key',
    at: (line: number, column: number) => `line ${line}, column ${column}`,
    again: 'Run the whole query again',
    againHint: 'What has arrived is cached for a while: the services are asked only for what is missing.',
    asking: 'Asking again …',
  },
  fr: {
    missing: ({ service, code, place, rows, retryAfterSeconds: seconds }) => {
      const inRows = `${countInFrench(rows, 'ligne')} sans ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Il manque : ${place}.`;
      const when = seconds === undefined ? '' : ` Nouvel essai possible dans ${seconds} s.`;
      return (
        [`${service === undefined ? 'La requête' : labelOfService(service)} : ${code}.`, frenchMeaning(code)]
          .join(' ')
          .trimEnd() +
        what +
        when
      );
    },
    more: (count) => `${countInFrench(count, 'autre')}`,
    addKey: 'Ajouter une clé',
    at: (line, column) => `ligne ${line}, colonne ${column}`,
    again: 'Relancer toute la requête',
    againHint: 'Ce qui est arrivé reste gardé un moment : seul ce qui manque est redemandé aux services.',
    asking: 'Nouvelle demande …',
  },
});
