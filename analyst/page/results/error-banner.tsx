import { toFrenchMessage } from '../language/french-messages.js';
import { language } from '../language/language.js';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { ConnectLink } from '../sidebar/connect-link.js';
import { openKeyOf } from '../sidebar/open-keys.js';
import { useStore } from '../store/store.js';
import { ERROR_TEXTS } from './error-texts.js';
import { describeMissing, type Missing, missingParts } from './missing.js';
import { RunAgain } from './run-again.js';

/** Messages that are shown before the list is expanded. */
const SHOWN = 3;

/** Shows which sources failed, how many rows lack which fields, and what can be done about it. */
export function ErrorBanner({ result }: { result: QueryResult }) {
  const errors = result.response.errors ?? [];
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
      <RunAgain result={result} />
    </div>
  );
}

function Parts({ parts }: { parts: readonly Missing[] }) {
  return (
    <ul>
      {parts.map((part) => (
        <li key={`${part.service} ${part.code} ${part.place}`}>
          {describeMissing(part)} <Message text={part.message} /> <Remedy part={part} />
        </li>
      ))}
    </ul>
  );
}

/** The message itself: GraphQL's own in the page's language, the gateway's as it writes them. */
function Message({ text }: { text: string }) {
  const french = useStore(language) === 'fr' ? toFrenchMessage(text) : null;
  return french === null ? <span lang="en">{text}</span> : <span>{french}</span>;
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
  return (
    <button type="button" onClick={() => openKeyOf(service)}>
      {texts.addKey}
    </button>
  );
}
