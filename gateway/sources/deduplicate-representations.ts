import type { SubgraphAnswer } from '../../runtime/subgraph-execution.js';

/** Representations with the equal ones taken out. */
export interface Deduplicated {
  readonly distinct: readonly unknown[];
  /** The answer for the distinct ones, spread to every place from which a representation came; errors too. */
  spread(answer: SubgraphAnswer): SubgraphAnswer;
}

/**
 * Takes equal representations out of a list: twenty missions of one commune are one entity. Equal is the whole
 * representation, never the key alone, because a join reads the other fields too. Null when all differ.
 */
export function deduplicateRepresentations(representations: readonly unknown[]): Deduplicated | null {
  const places = new Map<string, number[]>();
  const distinct: unknown[] = [];
  const distinctOf: number[] = [];
  for (const [place, representation] of representations.entries()) {
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
  }
  if (distinct.length === representations.length) return null;
  const placesOf = [...places.values()];
  return { distinct, spread: (answer) => spread(answer, distinctOf, placesOf) };
}

/**
 * Equal places share one object. The gateway writes into it, but the same at each place: what it writes follows from
 * the entity alone. Nothing keeps the object after the request.
 */
function spread(
  { data, errors }: SubgraphAnswer,
  distinctOf: readonly number[],
  placesOf: readonly (readonly number[])[],
): SubgraphAnswer {
  const entities = data?.['_entities'];
  return {
    data: Array.isArray(entities) ? { ...data, _entities: distinctOf.map((index) => entities[index] ?? null) } : data,
    errors: errors?.flatMap((error) => {
      const [root, index, ...below] = error.path ?? [];
      if (root !== '_entities' || typeof index !== 'number') return [error];
      return (placesOf[index] ?? []).map((place) => ({ ...error, path: [root, place, ...below] }));
    }),
  };
}
