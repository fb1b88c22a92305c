import { useGraphiQL } from '@graphiql/react';
import { useEffect, useMemo, useState } from 'react';
import type { LonLat } from '../../../rows/layout.js';
import { isObject } from '../../../rows/path.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { sendQuery } from '../requests/send-query.js';
import type { QueryResult } from '../responses/query-result.js';
import { ownKeys } from '../state/own-keys.js';
import type { Point } from './projection.js';
import { centreOf, lineAround, type Search, searchOf } from './search-area.js';

/** Where a query searched, as lines in the drawing. */
export interface SearchAreas {
  readonly search: Search | null;
  /** One for each point that was searched around; empty until it is known. */
  readonly lines: readonly (readonly Point[])[];
}

/** Where the query searched for the rows of a list. */
export function useSearchAreas({ request }: QueryResult, list: LoadedList): SearchAreas {
  const schema = useGraphiQL((state) => state.schema);
  const search = useMemo(() => (schema ? searchOf(request, schema, list) : null), [request, schema, list]);
  const centre = useCentre(search?.insee ?? null);
  return useMemo(() => {
    const around = search === null ? [] : [...search.around, ...(centre === null ? [] : [centre])];
    return { search, lines: search === null ? [] : around.map((point) => lineAround(point, search)) };
  }, [search, centre]);
}

const QUERY =
  'query CentreOfCommune($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }';

/** Centres that were requested before, by code. */
const centres = new Map<string, Promise<LonLat | null>>();
/** Beyond this number, the oldest are dropped. */
const MAX_CENTRES = 50;

function centreOnce(insee: string): Promise<LonLat | null> {
  const reading = centres.get(insee) ?? centreOfCommune(insee);
  centres.set(insee, reading);
  for (const oldest of [...centres.keys()].slice(0, -MAX_CENTRES)) centres.delete(oldest);
  return reading;
}

/** The centre of a commune. The query that searched around it has just read it, so the gateway has it in memory. */
function useCentre(insee: string | null): LonLat | null {
  const [known, setKnown] = useState<{ readonly insee: string; readonly centre: LonLat | null } | null>(null);
  useEffect(() => {
    if (insee === null) return;
    let isGone = false;
    void centreOnce(insee).then((centre) => {
      if (!isGone) setKnown({ insee, centre });
    });
    return () => {
      isGone = true;
    };
  }, [insee]);
  return known !== null && known.insee === insee ? known.centre : null;
}

/** Null if it cannot be fetched: the map then has no circle. */
async function centreOfCommune(insee: string): Promise<LonLat | null> {
  try {
    const { response } = await sendQuery({ query: QUERY, variables: { insee } }, ownKeys.get());
    const commune = response.data?.['commune'];
    const [centre] = isObject(commune) ? centreOf(commune) : [];
    if (centre === undefined) centres.delete(insee);
    return centre ?? null;
  } catch {
    centres.delete(insee);
    return null;
  }
}
