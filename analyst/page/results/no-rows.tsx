import { useCallback } from 'react';
import { findObject, isList, isObject, type Json } from '../../../rows/path.js';
import type { Question } from '../../questions/question.js';
import { countingRequest, type Wider, widerThan } from '../../questions/widen.js';
import { askQuestion } from '../ask/asking.js';
import { describeCriterion } from '../ask/describe.js';
import { knownNow } from '../ask/known.js';
import { Button } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { formatKilometres } from '../elements/format.js';
import { sendQuery } from '../request/send-query.js';
import { countInEnglish, countInFrench, defineTexts, useTexts } from '../state/language.js';

/** A wider question with what it would give. */
interface Chance extends Wider {
  readonly count: number | null;
  readonly nearest: number | null;
}

/** In place of a list without rows: what would give some, counted by one request. */
export function NoRows({ question }: { question: Question }) {
  const texts = useTexts(TEXTS);
  const find = useCallback((signal: AbortSignal) => chancesOf(question, signal), [question]);
  const chances = useAwaited(find);
  const criteria = (name: string): string => describeCriterion(name, question.criteria[name] ?? []);
  return (
    <div className="pa-empty" role="status">
      <p>{texts.none}</p>
      {chances !== undefined && chances.length === 0 && Object.keys(question.criteria).length > 0 && (
        <p>{texts.noWider}</p>
      )}
      <ul>
        {chances?.map((chance) => (
          <li key={`${chance.criterion} ${chance.isFurther}`}>
            <Button onClick={() => void askQuestion(chance.question)}>
              {chance.isFurther
                ? texts.further(chance.nearest === null ? null : formatKilometres(chance.nearest, 0))
                : texts.without(criteria(chance.criterion))}
            </Button>{' '}
            {chance.count === null ? texts.some : texts.rows(chance.count)}
          </li>
        ))}
      </ul>
    </div>
  );
}

async function chancesOf(question: Question, signal: AbortSignal): Promise<Chance[]> {
  const request = countingRequest(widerThan(question), knownNow());
  if (request === null) return [];
  const { of, ...sent } = request;
  const { response } = await sendQuery(sent, { signal, isAnonymous: true });
  return of.flatMap((wider) => {
    const connection = findObject(response.data?.[wider.key], ({ edges, nodes }) => isList(edges) || isList(nodes));
    if (connection === null) return [];
    const rows = [connection['edges'], connection['nodes']].find((one) => isList(one ?? null)) as
      | readonly Json[]
      | undefined;
    const total = connection['totalCount'];
    const [first = null] = rows ?? [];
    const nearest = isObject(first) && typeof first['distance'] === 'number' ? first['distance'] : null;
    const count = typeof total === 'number' ? total : null;
    return count === 0 || (rows ?? []).length === 0 ? [] : [{ ...wider, count, nearest }];
  });
}

const TEXTS = defineTexts({
  en: {
    none: 'Nothing matches all of this.',
    noWider: 'Without one of the criteria, nothing would match either.',
    without: (criterion: string) => `Without “${criterion}”`,
    further: (distance: string | null) =>
      distance === null ? 'Further around' : `Further around: the nearest is at ${distance}`,
    rows: (count: number) => countInEnglish(count, 'row'),
    some: 'some rows',
  },
  fr: {
    none: 'Rien ne correspond à tout cela.',
    noWider: 'Sans l’un des critères, rien ne correspondrait non plus.',
    without: (criterion) => `Sans « ${criterion} »`,
    further: (distance) =>
      distance === null ? 'Plus loin autour' : `Plus loin autour : le plus proche est à ${distance}`,
    rows: (count) => countInFrench(count, 'ligne'),
    some: 'des lignes',
  },
});
