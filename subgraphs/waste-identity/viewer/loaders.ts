import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Viewer, ViewerClient } from './client.js';

/** What one request has read of its viewer. */
export interface ViewerLoaders {
  /** The viewer, with companies or without. */
  readonly viewer: Load<boolean, Viewer | null>;
}

/** The loaders of one request, which has one caller: equal requests share one call. */
export function createViewerLoaders(viewers: ViewerClient): ViewerLoaders {
  return { viewer: createSingleLoader((withCompanies, operation) => viewers.viewer(withCompanies, operation)) };
}
