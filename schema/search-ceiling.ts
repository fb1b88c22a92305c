/**
 * Rank at which the source cuts a search of missions off (volunteering 3.1): its pages end there, whatever the count of
 * matches. A largest page from the first on reads all of it.
 */
export const SEARCH_CEILING = 10_000;
