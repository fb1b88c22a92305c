import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { useOpenQuery } from '../state/open-query.js';
import { countQuery } from './count-query.js';
import { COUNT_TEXTS } from './texts.js';

/** Offers to count all missions of the selection at the source, if the graph has `missionCounts`. */
export function CountAll({ result, path, by }: { result: QueryResult; path: string; by: string }) {
  const texts = useTexts(COUNT_TEXTS);
  const open = useOpenQuery();
  const schema = useGraphiQL((state) => state.schema);
  const query = useMemo(() => {
    const field = schema?.getQueryType()?.getFields()['missionCounts'];
    if (field === undefined) return null;
    const args = field.args.map(({ name }) => name);
    return countQuery(result.request, { path, column: by, field: { args } });
  }, [schema, result, path, by]);
  if (query === null) return null;
  const variables = Object.entries(result.request.variables ?? {}).filter(([name]) => query.includes(`$${name}:`));
  return (
    <p className="pa-note">
      <button
        type="button"
        onClick={() => open({ query, variables: JSON.stringify(Object.fromEntries(variables), null, 2) })}
      >
        {texts.countAll}
      </button>{' '}
      {texts.countAllHint}
    </p>
  );
}
