import type { GraphQLFormattedError } from 'graphql';
import { createErrorList, createOmissions, type OmittedErrors } from '../../runtime/errors/error-list.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphAnswer } from '../../runtime/subgraph-host/subgraph-execution.js';

/** Representations with the equal ones taken out. */
export interface Deduplicated {
  readonly distinct: readonly unknown[];
  /** The answer for the distinct ones, spread to every place from which a representation came; errors too. */
  spread(answer: SubgraphAnswer): SubgraphAnswer;
}

/**
 * Takes equal representations out of a list: twenty missions of one commune are one entity. Equal is the whole
 * representation, never only the key, because a join reads the other fields too. Null when all differ.
 */
export async function deduplicateRepresentations(representations: readonly unknown[]): Promise<Deduplicated | null> {
  const places = new Map<string, number[]>();
  const distinct: unknown[] = [];
  const distinctOf: number[] = [];
  await forEachInTurns(representations.entries(), ([place, representation]) => {
    const text = JSON.stringify(representation);
    const known = places.get(text);
    if (known === undefined) {
      places.set(text, [place]);
      distinctOf.push(distinct.length);
      distinct.push(representation);
    } else {
      known.push(place);
      distinctOf.push(distinctOf[known[0] ?? 0] ?? 0);
    }
  });
  if (distinct.length === representations.length) return null;
  const placesOf = [...places.values()];
  return { distinct, spread: (answer) => spread(answer, distinctOf, placesOf) };
}

/**
 * Equal places share one object. The gateway writes into it, but the same at each place: what it writes follows from
 * the entity alone. Nothing holds the object after the request.
 */
function spread(
  { data, errors, omitted }: SubgraphAnswer,
  distinctOf: readonly number[],
  placesOf: readonly (readonly number[])[],
): SubgraphAnswer {
  const entities = data?.['_entities'];
  return {
    data: Array.isArray(entities) ? { ...data, _entities: distinctOf.map((index) => entities[index] ?? null) } : data,
    ...(errors !== undefined && spreadErrors(errors, omitted, placesOf)),
  };
}

function spreadErrors(
  errors: readonly GraphQLFormattedError[],
  omitted: OmittedErrors | undefined,
  placesOf: readonly (readonly number[])[],
): SubgraphAnswer {
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(omitted);
  for (const error of errors) {
    const [root, index, ...below] = error.path ?? [];
    if (root === '_entities' && typeof index === 'number') {
      for (const place of placesOf[index] ?? []) {
        list.add(error.path, () => ({ ...error, path: [root, place, ...below] }));
      }
    } else {
      list.add(error.path, () => error);
    }
  }
  return { errors: list.errors, omitted: omissions.read() };
}
