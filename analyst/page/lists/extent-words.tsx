import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import type { Extent } from '../../../rows/extent.js';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { extentOfList } from './list-extent.js';
import { EXTENT_TEXTS } from './texts.js';

/** How much of a list a response has. */
export function useExtent(result: QueryResult, path: string): Extent {
  const schema = useGraphiQL((state) => state.schema) ?? null;
  return useMemo(() => extentOfList(result, path, schema), [result, path, schema]);
}

/** Says beside a number of rows whether it is all of them. */
export function ExtentWords({ extent, path }: { extent: Extent; path: string }) {
  const texts = useTexts(EXTENT_TEXTS);
  return <span className={extent.kind === 'all' ? 'pa-quiet' : 'pa-partial'}>{texts.words(extent, path)}</span>;
}
