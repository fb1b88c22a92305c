import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Viewer, ViewerClient } from './client.js';

/** The viewer for one request, already loaded or to be loaded. */
export interface ViewerLoaders {
  /** The viewer, with or without companies. */
  readonly viewer: Load<boolean, Viewer | null>;
}

/** The loaders of one request, which has a single caller, so that equal requests share one call. */
export function createViewerLoaders(viewers: ViewerClient): ViewerLoaders {
  return { viewer: createSingleLoader((withCompanies, operation) => viewers.viewer(withCompanies, operation)) };
}
