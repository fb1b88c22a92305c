import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { readStretch, type SourcePage, type Stretch } from '../values/lists.js';
import type { AppointmentKey, FormationFilter, TrainingClient } from './client.js';
import type { AppointmentLinkView, FormationView } from './shapes.js';

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
  appointmentLink(key: AppointmentKey, operation: OperationContext): Promise<AppointmentLinkView | null>;
}

interface PageOf {
  readonly filter: FormationFilter;
  readonly index: number;
  readonly size: number;
}

/** Loaders of courses for one request. Equal searches share one call. */
export function createTrainingLoaders(client: TrainingClient): TrainingLoaders {
  const page = createSingleLoader(
    ({ filter, index, size }: PageOf, operation) => client.page(filter, { index, size }, operation),
    (query) => JSON.stringify(query),
  );
  return {
    stretch: (filter, stretch, operation) =>
      readStretch(stretch, (index, size) => page({ filter, index, size }, operation)),
    formation: createSingleLoader(client.formation),
    appointmentLink: client.appointmentLink,
  };
}
