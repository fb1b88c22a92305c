import type { GraphQLFormattedError } from 'graphql';
import { createErrorList, createOmissions, type OmittedErrors } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';

/** Representations without duplicates. */
export interface Deduplicated {
  readonly distinct: readonly unknown[];
  /** Expands the response for the distinct representations to the original list, errors included. */
  expand(response: SubgraphResponse): SubgraphResponse;
}

/**
 * Removes duplicates from a list of representations: twenty missions of one commune are one entity. Whole
 * representations are compared, not only keys, because joins read the other fields too. Null if all differ.
 */
export async function deduplicateRepresentations(
  request: object,
  representations: readonly unknown[],
): Promise<Deduplicated | null> {
  const places = new Map<string, number[]>();
  const distinct: unknown[] = [];
  const distinctOf: number[] = [];
  await forEachInTurns(request, representations.entries(), ([place, representation]) => {
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
  return { distinct, expand: (response) => expand(response, distinctOf, placesOf) };
}

/**
 * Duplicates share one object. The gateway merges into it, but always the same values, since they depend on the entity
 * alone. Nothing references the object after the request.
 */
function expand(
  { data, errors, omitted }: SubgraphResponse,
  distinctOf: readonly number[],
  placesOf: readonly (readonly number[])[],
): SubgraphResponse {
  const entities = data?.['_entities'];
  return {
    data: Array.isArray(entities) ? { ...data, _entities: distinctOf.map((index) => entities[index] ?? null) } : data,
    ...(errors !== undefined && expandErrors(errors, omitted, placesOf)),
  };
}

function expandErrors(
  errors: readonly GraphQLFormattedError[],
  omitted: OmittedErrors | undefined,
  placesOf: readonly (readonly number[])[],
): SubgraphResponse {
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
