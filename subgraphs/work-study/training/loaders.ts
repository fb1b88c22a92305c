import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { readStretch, type SourcePage, type Stretch } from '../values/lists.js';
import { type FormationFilter, type FormationsQuery, readFormation, readFormations } from './client.js';
import type { FormationView } from './shapes.js';

/** Courses for one request, already loaded or to be loaded. */
export interface TrainingLoaders {
  /** A stretch of the filtered list. */
  stretch(
    filter: FormationFilter,
    stretch: Stretch,
    operation: OperationContext,
  ): PromiseLike<SourcePage<FormationView>>;
  /** By key at the ministry of education; null when unknown. */
  readonly formation: Load<string, FormationView | null>;
}

/** Loaders of courses for one request. Equal searches share one call. */
export function createTrainingLoaders(upstream: Upstream): TrainingLoaders {
  const page = createSingleLoader(
    (query: FormationsQuery, operation) => readFormations(upstream, query, operation),
    (query) => JSON.stringify(query),
  );
  return {
    stretch: (filter, stretch, operation) =>
      readStretch(stretch, (index, size) => page({ filter, index, size }, operation)),
    formation: createSingleLoader((id, operation) => readFormation(upstream, id, operation)),
  };
}
