import { useGraphiQL } from '@graphiql/react';
import { parse, print } from 'graphql';
import { useMemo } from 'react';
import { operationNameOf } from '../requests/operation-name.js';
import type { GraphqlRequest } from '../responses/query-result.js';
import { activeTab } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { useEditorText } from '../variables/editor-text.js';
import { readValues } from '../variables/variable-values.js';

/**
 * What has changed in the editors since a request of the active tab was sent; null if nothing has, or if the variables
 * cannot be read, which the form reports.
 */
export function useChange(request: GraphqlRequest): 'query' | 'values' | null {
  const query = useEditorText(useGraphiQL((state) => state.queryEditor));
  const text = useEditorText(useGraphiQL((state) => state.variableEditor));
  const name = useGraphiQL((state) => state.operationName);
  const front = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  const tab = useStore(activeTab);
  const isOtherQuery = useMemo(() => !isSameQuery(query, request.query), [query, request]);
  const isOtherText = useMemo(() => !hasSameValues(text, request), [text, request]);
  // Another tab comes to the front before its response does.
  if (front !== tab) return null;
  if (isOtherQuery || operationNameOf({ query, operationName: name }) !== request.operationName) return 'query';
  return isOtherText ? 'values' : null;
}

/** Whether two queries ask for the same, however they are laid out. */
function isSameQuery(one: string, other: string): boolean {
  return one === other || printed(one) === printed(other);
}

/** A query in one layout, without comments; itself if it cannot be parsed. */
function printed(query: string): string {
  try {
    return print(parse(query, { noLocation: true }));
  } catch {
    return query;
  }
}

function hasSameValues(text: string, { variables }: GraphqlRequest): boolean {
  const values = readValues(text);
  return values === null || sorted(values) === sorted(variables ?? {});
}

/** JSON in which the keys of objects have one order. */
function sorted(json: unknown): string {
  return JSON.stringify(json, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
