import type { ResponseError } from '../responses/query-result.js';
import { describeMissing, missingParts } from './missing.js';

/** Messages that are shown before the list is expanded. */
const SHOWN = 3;

/** Shows which sources failed, and how many rows lack which fields. */
export function ErrorBanner({ errors }: { errors: readonly ResponseError[] }) {
  if (errors.length === 0) return null;
  const sentences = missingParts(errors).map(describeMissing);
  const [first, rest] = [sentences.slice(0, SHOWN), sentences.slice(SHOWN)];
  return (
    <div className="pa-banner" role="alert">
      <Sentences sentences={first} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <Sentences sentences={rest} />
        </details>
      )}
    </div>
  );
}

function Sentences({ sentences }: { sentences: readonly string[] }) {
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
