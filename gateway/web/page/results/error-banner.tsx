import { useGraphiQLActions } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { useTexts } from '../language/texts.js';
import type { ResponseError } from '../responses/query-result.js';
import { ConnectLink } from '../sidebar/connect-link.js';
import { openKeyOf } from '../sidebar/open-keys.js';
import { ERROR_TEXTS } from './error-texts.js';
import { describeMissing, type Missing, missingParts } from './missing.js';

/** Messages that are shown before the list is expanded. */
const SHOWN = 3;

/** Shows which sources failed, how many rows lack which fields, and what can be done about it. */
export function ErrorBanner({ errors }: { errors: readonly ResponseError[] }) {
  const texts = useTexts(ERROR_TEXTS);
  if (errors.length === 0) return null;
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
      <RunAgain parts={parts} />
    </div>
  );
}

function Parts({ parts }: { parts: readonly Missing[] }) {
  return (
    <ul>
      {parts.map((part) => (
        <li key={`${part.service} ${part.code} ${part.place}`}>
          {describeMissing(part)} <Remedy part={part} />
        </li>
      ))}
    </ul>
  );
}

/** Codes that a key of one's own may help with. */
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
  return (
    <button type="button" onClick={() => openKeyOf(service)}>
      {texts.addKey}
    </button>
  );
}

const RETRYABLE = new Set(['RATE_LIMITED', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'DEADLINE_EXCEEDED']);

/** Longer waits than this are not offered, in seconds. */
const MAX_WAIT_SECONDS = 15 * 60;

/** Runs again what another try may complete, after the wait that a quota needs. */
function RunAgain({ parts }: { parts: readonly Missing[] }) {
  const texts = useTexts(ERROR_TEXTS);
  const { run } = useGraphiQLActions();
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    if (left === null) return;
    if (left <= 0) {
      run();
      return;
    }
    const timer = window.setTimeout(() => setLeft(left - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [left, run]);
  const retryable = parts.filter(({ code }) => RETRYABLE.has(code));
  if (retryable.length === 0) return null;
  const seconds = Math.max(0, ...retryable.map(({ retryAfterSeconds }) => Math.ceil(retryAfterSeconds ?? 0)));
  if (seconds > MAX_WAIT_SECONDS) return null;
  const service = retryable.find(({ retryAfterSeconds }) => retryAfterSeconds !== undefined)?.service ?? '';
  return left === null ? (
    <button type="button" title={texts.runAgainHint} onClick={() => setLeft(seconds)}>
      {seconds === 0 ? texts.runAgain : texts.waitAndRun(seconds)}
    </button>
  ) : (
    <span>
      {texts.waiting(service, left)}{' '}
      <button type="button" onClick={() => setLeft(null)}>
        {texts.cancel}
      </button>
    </span>
  );
}
