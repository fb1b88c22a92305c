import { useGraphiQL } from '@graphiql/react';
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { useCallback, useMemo } from 'react';
import { fragmentsOf, mergeFields } from '../../../kernel/selections.js';
import { objectsAt } from '../../../rows/extent.js';
import type { LonLat } from '../../../rows/layout.js';
import { isObject, type Json, type JsonObject, readPath, type Step } from '../../../rows/path.js';
import { fieldsOf } from '../composer/tree.js';
import { useAwaited } from '../elements/effects.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { operationNameOf } from '../request/operation.js';
import { sendQuery } from '../request/send-query.js';
import type { GraphqlRequest, QueryResult } from '../state/query-result.js';
import { EARTH_KM, type Point, projectionNear } from './projection.js';

/** Where a query searched for the rows of a list. */
export interface Search {
  readonly kilometres: number;
  /** Whether that is half the side of a square, which is how the volunteering service searches. */
  readonly isSquare: boolean;
  /** Points given in the query or the response. */
  readonly around: readonly LonLat[];
  /** The commune whose centre it searched around, if neither gives the point; else null. */
  readonly insee: string | null;
}

/** The search behind a list: the arguments `radius` or `distance` of the fields on its path; null if there is none. */
export function searchOf(
  request: GraphqlRequest,
  schema: GraphQLSchema,
  { data, path }: { readonly data: JsonObject; readonly path: string },
): Search | null {
  const steps = readPath(path);
  const fields = fieldsTo(request, schema, steps);
  for (const [index, { args, takes }] of fields.entries()) {
    const { radius, distance, near } = args;
    // The fields of the daily export have their point in an object.
    const { latitude, longitude, lat, lon, insee: ownInsee } = isObject(near as Json) ? (near as JsonObject) : args;
    const kilometres = typeof radius === 'number' ? radius : distance;
    if (typeof kilometres !== 'number' || kilometres <= 0) continue;
    const base = { kilometres, isSquare: typeof radius !== 'number', insee: null };
    const point = [longitude ?? lon, latitude ?? lat];
    if (isLonLat(point)) return { ...base, around: [point] };
    if (typeof ownInsee === 'string' && takes('near')) return { ...base, around: [], insee: ownInsee };
    if (takes('latitude') || takes('lat') || takes('near')) continue;
    const parent = fields[index - 1];
    const parents = parent === undefined ? [] : [...objectsAt(data, steps.slice(0, parent.depth))];
    const around = parents.flatMap(([object]) => centreOf(object));
    const insee = parent?.args['insee'];
    if (around.length > 0) return { ...base, around };
    if (typeof insee === 'string') return { ...base, around, insee };
  }
  return null;
}

/** A field on the path to a list. */
interface PassedField {
  readonly args: Readonly<Record<string, unknown>>;
  takes(argument: string): boolean;
  /** Number of path steps to its value, including those into its items. */
  readonly depth: number;
}

function fieldsTo(request: GraphqlRequest, schema: GraphQLSchema, steps: readonly Step[]): PassedField[] {
  const document = parse(request.query);
  const operation = getOperationAST(document, operationNameOf(request));
  if (!operation) return [];
  const { coerced: variables = {} } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    request.variables ?? {},
  );
  const fragments = fragmentsOf(document);
  const passed: PassedField[] = [];
  let sets: readonly SelectionSetNode[] = [operation.selectionSet];
  let type: GraphQLNamedType | null | undefined = schema.getRootType(operation.operation);
  for (const { key, depth } of keysOf(steps)) {
    const merged = mergeFields(sets, type?.name ?? '', (name) => fragments.get(name));
    const found = merged.find(({ node }) => (node.alias ?? node.name).value === key);
    const field = found && fieldsOf(schema.getType(found.parent))[found.node.name.value];
    if (found === undefined || field === undefined) break;
    const args = getArgumentValues(field, found.node, variables);
    passed.push({ args, takes: (argument) => field.args.some(({ name }) => name === argument), depth });
    ({ sets } = found);
    type = getNamedType(field.type);
  }
  return passed;
}

/** The keys of a path, each with the number of steps to its value, including those into its items if it is a list. */
function keysOf(steps: readonly Step[]): { readonly key: string; readonly depth: number }[] {
  return steps.flatMap((step, index) => {
    if (!('key' in step)) return [];
    const next = steps.findIndex((other, place) => place > index && 'key' in other);
    return [{ key: step.key, depth: next < 0 ? steps.length : next }];
  });
}

/** The centre of a commune in a response, if it was selected. */
function centreOf({ localisation }: JsonObject): LonLat[] {
  const centre = isObject(localisation) ? localisation['centre'] : null;
  const coordinates = isObject(centre) ? centre['coordinates'] : null;
  return isLonLat(coordinates) ? [coordinates] : [];
}

function isLonLat(value: unknown): value is LonLat {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number');
}

/** How many points of a circle are drawn. */
const CORNERS = 72;

/** The line around a search in the drawing. */
export function lineAround(centre: LonLat, { kilometres, isSquare }: Search): Point[] {
  const [longitude, latitude] = centre;
  const toDrawing = projectionNear(centre);
  const up = degrees(kilometres / EARTH_KM);
  const across = up / Math.cos((latitude * Math.PI) / 180);
  if (isSquare) {
    const corners = [
      [-1, -1],
      [-1, 1],
      [1, 1],
      [1, -1],
    ] as const;
    return corners.map(([east, north]) => toDrawing([longitude + east * across, latitude + north * up]));
  }
  return Array.from({ length: CORNERS }, (_, corner) =>
    toDrawing(towards(centre, kilometres, (360 * corner) / CORNERS)),
  );
}

/** The position at a distance along a great circle, in a direction measured from north. */
function towards([longitude, latitude]: LonLat, kilometres: number, direction: number): LonLat {
  const [angle, bearing, from] = [kilometres / EARTH_KM, (direction * Math.PI) / 180, (latitude * Math.PI) / 180];
  const sine = Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing);
  const east = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * sine,
  );
  return [longitude + degrees(east), degrees(Math.asin(sine))];
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/** Where the query searched for the rows of a list, with a line for each point that it searched around, once known. */
export function useSearchAreas({ request }: QueryResult, list: LoadedList) {
  const schema = useGraphiQL((state) => state.schema);
  const search = useMemo(() => (schema ? searchOf(request, schema, list) : null), [request, schema, list]);
  const insee = search?.insee ?? null;
  // One call at most, cached for a day. Missions are measured from the official extent's middle, offers and courses from here.
  const find = useCallback(async () => (insee === null ? null : centreOnce(insee)), [insee]);
  const centre = useAwaited(find) ?? null;
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

/** The centre of a commune; null if it is not known. */
function centreOnce(insee: string): Promise<LonLat | null> {
  const reading = centres.get(insee) ?? centreOfCommune(insee);
  centres.set(insee, reading);
  for (const oldest of [...centres.keys()].slice(0, -MAX_CENTRES)) centres.delete(oldest);
  return reading;
}

/** Null if it cannot be fetched: the map then has no circle. */
async function centreOfCommune(insee: string): Promise<LonLat | null> {
  try {
    const { response } = await sendQuery({ query: QUERY, variables: { insee } });
    const commune = response.data?.['commune'];
    const [centre] = isObject(commune) ? centreOf(commune) : [];
    if (centre === undefined) centres.delete(insee);
    return centre ?? null;
  } catch {
    centres.delete(insee);
    return null;
  }
}
