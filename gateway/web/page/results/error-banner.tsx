import type { AnswerError } from '../answers/asked.js';
import { missingParts, sayMissing } from './missing.js';

/** Gaps shown before one asks for all of them. */
const SHOWN = 3;

/** Names the sources that failed, and how many rows lack what. */
export function ErrorBanner({ errors }: { errors: readonly AnswerError[] }) {
  if (errors.length === 0) return null;
  const sentences = missingParts(errors).map(sayMissing);
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
