import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { ErrorList, Omissions, ResponsePath } from '../../../runtime/errors/error-list.js';
import { INTERNAL_MESSAGE } from '../../../runtime/errors/safe-errors.js';
import { forEachInTurns } from '../../../runtime/event-loop/turns.js';
import type { SubgraphResponse } from '../../../runtime/subgraph-host/subgraph-execution.js';
import { withoutStack } from '../../../schema/errors.js';
import type { GatewayRequest } from '../../request/request.js';
import type { Source } from '../../subgraphs/source.js';
import {
  type EarlyFetch,
  type EarlyObjects,
  type FindEarlyObjects,
  type Follower,
  followersIn,
} from './early-fetch.js';
import { type Data, isData, merge } from './merge.js';
import { placeInResponse } from './place-in-response.js';
import { objectsAt, type PlacePath, placesOf } from './places.js';
import type { FetchNode, PlanNode } from './plan.js';
import { compileRepresentation, type Matches } from './representation.js';

/** The state of one execution of a plan. Executions share nothing. */
export interface PlanRun {
  readonly gatewayRequest: GatewayRequest;
  /** The client's variables. */
  readonly variables: Data;
  /** The merged data of all sources so far. */
  readonly data: Data;
  readonly errors: ErrorList<GraphQLError>;
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
  /** Entity fetches that were started before the fetch they follow had ended. */
  readonly early: Map<FetchNode, EarlyFetch>;
}

/** Executes one node of a plan. Never rejects: failures become errors of the run. */
export type Step = (run: PlanRun) => Promise<void>;

/** What compiling a plan needs to know. */
export interface PlanScope {
  /** The source of a subgraph of the plan. */
  readonly sourceOf: (subgraph: string) => Source;
  readonly matches: Matches;
  readonly findEarlyObjects: FindEarlyObjects;
  /** Values of the variables that `@skip` and `@include` depend on. */
  readonly flags: Data;
  /** Maps a name in the plan back to the client's. */
  readonly restoreName: (name: string) => string;
}

/** Compiles a plan for which `isCompilable` holds; without a node, it fetches nothing. */
export function compilePlan(node: PlanNode | undefined, scope: PlanScope, path: PlacePath = []): Step {
  if (node === undefined) return async () => {};
  switch (node.kind) {
    case 'Sequence':
      return compileSequence(node.nodes, scope, path);
    case 'Parallel':
      return inParallel(node.nodes.map((inner) => compilePlan(inner, scope, path)));
    case 'Flatten':
      return compilePlan(node.node, scope, node.path.map(String));
    case 'Condition':
      return compilePlan(scope.flags[node.condition] === true ? node.ifClause : node.elseClause, scope, path);
    case 'Fetch':
      return node.requires === undefined ? compileFetch(node, scope) : compileEntityFetch(node, path, scope);
    default:
      throw new Error(`A plan with ${node.kind} cannot be compiled.`);
  }
}

function compileSequence(nodes: readonly PlanNode[], scope: PlanScope, path: PlacePath): Step {
  const [first, second] = nodes;
  const followers = path.length === 0 ? followersIn(second, scope.flags) : [];
  const steps = nodes.map((node) =>
    node === first && node.kind === 'Fetch' && node.requires === undefined
      ? compileFetch(node, scope, followers)
      : compilePlan(node, scope, path),
  );
  return async (run) => {
    for (const step of steps) await step(run);
  };
}

function inParallel(steps: readonly Step[]): Step {
  return async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };
}

/** A fetch of root fields. Entity fetches that follow it start as soon as their objects are known. */
function compileFetch(node: FetchNode, scope: PlanScope, followers: readonly Follower[] = []): Step {
  const source = scope.sourceOf(node.serviceName);
  const starts = scope.findEarlyObjects(node, followers).map((objects) => compileStart(objects, scope));
  return async (run) => {
    const request = requestOf(node, run.variables);
    const { data, errors = [], omitted } = await source.execute(request, run.gatewayRequest, '');
    for (const error of errors)
      run.errors.add(error.path, () => toGraphQLError(error, node, error.path), node.serviceName);
    run.omissions.include(omitted, placeInResponse([], node.serviceName));
    if (data) merge(run.data, data);
  };
}

type Root = [key: string, value: unknown];

/** Not worth it for longer lists: they have enough calls to make while they wait. */
const MAX_EARLY_OBJECTS = 200;

/** Starts an entity fetch with what a root field's value says about its objects. */
function compileStart(objects: EarlyObjects, scope: PlanScope): (run: PlanRun, root: Root) => void {
  const { follower, root, represent } = objects;
  const { node } = follower;
  const send = compileSend(follower, scope);
  return (run, [key, value]) => {
    if (key !== root) return;
    const representations = represent(value);
    if (representations.length === 0 || representations.length > MAX_EARLY_OBJECTS) return;
    run.early.set(node, { representations: JSON.stringify(representations), response: send(run, representations) });
  };
}

type Send = (run: PlanRun, representations: readonly Data[]) => Promise<SubgraphResponse>;

function compileSend({ node, path }: Follower, scope: PlanScope): Send {
  const source = scope.sourceOf(node.serviceName);
  const planNode = path.map(scope.restoreName).join('.');
  return (run, representations) =>
    source.execute(
      requestOf(node, { ...run.variables, representations }, 'representations'),
      run.gatewayRequest,
      planNode,
    );
}

/** An entity fetch for the objects at a path. Objects that occur at several paths are fetched once. */
function compileEntityFetch(node: FetchNode, path: PlacePath, scope: PlanScope): Step {
  const represent = compileRepresentation(node.requires ?? [], scope.matches);
  const send = compileSend({ node, path }, scope);

  return async (run) => {
    const objects: Data[] = [];
    const representations: Data[] = [];
    await forEachInTurns(run.gatewayRequest, objectsAt(run.data, path), (object) => {
      const representation = represent(object);
      if (representation === null) return;
      objects.push(object);
      representations.push(representation);
    });
    if (objects.length === 0) return;
    const early = run.early.get(node);
    const isSame = early !== undefined && early.representations === JSON.stringify(representations);
    const { data, errors = [], omitted } = await (isSame ? early.response : send(run, representations));
    if (errors.length > 0) addEntityErrors(run, errors, objects, { node, path });
    run.omissions.include(omitted, placeInResponse(path, node.serviceName));
    if (!data) return;
    const entities = data['_entities'];
    if (!Array.isArray(entities) || entities.length !== objects.length) {
      run.errors.add(undefined, () => new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } }));
      return;
    }
    await forEachInTurns(run.gatewayRequest, objects.entries(), ([index, object]) => {
      const entity: unknown = entities[index];
      if (isData(entity)) merge(object, entity);
    });
  };
}

/** Errors of an entity are reported at every path of its object; errors of the whole list at the path of the list. */
function addEntityErrors(
  run: PlanRun,
  errors: readonly GraphQLFormattedError[],
  objects: readonly Data[],
  { node, path }: { readonly node: FetchNode; readonly path: PlacePath },
): void {
  const objectOf = ({ path: [, index] = [] }: GraphQLFormattedError) =>
    typeof index === 'number' ? objects[index] : undefined;
  const places = placesOf(new Set(errors.map(objectOf)), run.data, path);
  const add = (error: GraphQLFormattedError, place: ResponsePath | undefined) =>
    run.errors.add(place, () => toGraphQLError(error, node, place), node.serviceName);
  for (const error of errors) {
    const object = objectOf(error);
    if (object === undefined) add(error, error.path && [...path, ...error.path]);
    else for (const place of places.get(object) ?? []) add(error, [...place, ...(error.path?.slice(2) ?? [])]);
  }
}

function requestOf({ operation, operationName, variableUsages = [] }: FetchNode, values: Data, extra?: string) {
  const variables: Data = {};
  for (const name of extra === undefined ? variableUsages : [...variableUsages, extra]) {
    if (Object.hasOwn(values, name) && values[name] !== undefined) variables[name] = values[name];
  }
  return { query: operation, operationName, variables };
}

/** The error with the name of its subgraph, as the library reports it: `placeErrors` needs the name. */
function toGraphQLError(
  error: GraphQLFormattedError,
  { serviceName }: FetchNode,
  path: ResponsePath | undefined,
): GraphQLError {
  return withoutStack(
    () => new GraphQLError(error.message, { path: path ?? null, extensions: { ...error.extensions, serviceName } }),
  );
}
