import { readFile } from 'node:fs/promises';
import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import { disableApolloTelemetry } from '../../runtime/process/apollo-telemetry.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import { contextOf } from '../request/context.js';
import type { Source } from '../subgraphs/source.js';
import type { PrivateNames } from './aliases/private-names.js';
import { createCompiledExecutor } from './compiled/compiled-executor.js';
import { placeInAnswer } from './compiled/place-in-answer.js';
import { guardExecutor } from './executor.js';

/** A supergraph's text, and whether it is the one of this build. Only that one's subgraphs are sent credentials. */
export interface SupergraphFile {
  readonly sdl: string;
  readonly ours: boolean;
}

/** Plans as JSON, which the library keeps beside the documents: about four times as much as heap. */
const PLAN_MEBIBYTES = 8;

const OURS = new URL('../../schema/supergraph.graphql', import.meta.url);

/** Reads a supergraph file. It is `ours` when its bytes equal those of the build's. */
export async function readSupergraph(path: string | URL = OURS): Promise<SupergraphFile> {
  const [file, ours] = await Promise.all([readFile(path), readFile(OURS)]);
  return { sdl: file.toString('utf8'), ours: file.equals(ours) };
}

export interface SupergraphOptions {
  readonly file: SupergraphFile;
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  readonly log: Log;
  /** The source behind a subgraph of the supergraph, by the name and the address that the file gives it. */
  sourceFor(name: string, url: string): Source;
}

/** The planner and executor of a supergraph over sources of ours, in the form that Apollo Server takes. */
export function createSupergraph({ file, map, names, log, sourceFor }: SupergraphOptions) {
  disableApolloTelemetry();
  const sources = new Map<string, Source>();
  const sourceOf = (subgraph: string): Source => {
    const source = sources.get(subgraph);
    if (source === undefined) throw new Error(`The plan names a subgraph "${subgraph}" that is not connected.`);
    return source;
  };
  const compiled = createCompiledExecutor({ sourceOf, matches: map.matches, restoreName: names.restoreName });
  const gateway = new ApolloGateway({
    supergraphSdl: file.sdl,
    // Ours was validated when it was composed; a foreign one is checked here.
    validateSupergraph: !file.ours,
    experimental_approximateQueryPlanStoreMiB: PLAN_MEBIBYTES,
    // The library would show plans to any sender of its header; ours appear only in the trace.
    __exposeQueryPlanExperimental: false,
    logger: {
      debug: (message) => log.debug({ from: '@apollo/gateway' }, String(message)),
      info: (message) => log.debug({ from: '@apollo/gateway' }, String(message)),
      warn: (message) => log.warn({ from: '@apollo/gateway' }, String(message)),
      error: (message) => log.error({ from: '@apollo/gateway' }, String(message)),
    },
    buildService({ name, url }) {
      const source = sourceFor(name, url ?? '');
      sources.set(name, source);
      return asDataSource(name, source, names);
    },
    experimental_didResolveQueryPlan: ({ queryPlan, requestContext }) => {
      const { document, request } = requestContext;
      if (compiled.planned(document, request.operationName, queryPlan)) throw PLAN_TAKEN;
      contextOf(requestContext.context).recorder?.planned(queryPlan.node);
    },
  });
  return {
    onSchemaLoadOrUpdate: gateway.onSchemaLoadOrUpdate.bind(gateway),
    stop: () => gateway.stop(),
    async load(options: Parameters<typeof gateway.load>[0]) {
      const { executor } = await gateway.load(options);
      type Request = Parameters<typeof executor>[0];
      const runCompiled = (request: Request) => compiled.execute(request, contextOf(request.context));
      const planAndRun = async (request: Request): ReturnType<typeof executor> => {
        try {
          const { data, ...rest } = await executor(request);
          return data ? { ...rest, data: names.restoreData(data) } : { ...rest, ...(data === null && { data }) };
        } catch (error) {
          const answer = error === PLAN_TAKEN ? runCompiled(request) : null;
          if (answer === null) throw error;
          return answer;
        }
      };
      const run = (request: Request) => runCompiled(request) ?? planAndRun(request);
      return { executor: guardExecutor(run, map, names, log) };
    },
  };
}

/** The library plans and runs in one go: thrown between the two, it only plans. */
const PLAN_TAKEN = new Error('The plan is run elsewhere.');

function asDataSource(name: string, source: Source, names: PrivateNames): GraphQLDataSource {
  return {
    async process(options) {
      // Only a load without a given supergraph and the library's own health check do otherwise; ours does neither.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables, operationName } = options.request;
      const { caller, omissions } = contextOf(options.context);
      const path = (options.pathInIncomingRequest ?? []).map(String);
      const planNode = path.map(names.restoreName).join('.');
      const answer = await source.answer({ query, variables, operationName }, caller, planNode);
      omissions.include(answer.omitted, placeInAnswer(path, name));
      return { data: answer.data ?? null, ...(answer.errors !== undefined && { errors: answer.errors }) };
    },
  };
}
