import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Price } from '../../kernel/price.js';
import type { PlanNode } from '../../kernel/trace.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions } from '../../runtime/errors/error-list.js';
import type { GraphqlResponse, GraphqlServer } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { ResolvedOperation } from '../request/context.js';
import { quotasLeft } from '../request/quotas.js';
import type { GatewayRequest } from '../request/request.js';
import { createPlanRecorder } from '../request/trace.js';
import { fitToNeeds } from './fit-to-needs.js';
import type { KnownNeeds } from './known-needs.js';
import { type FieldCalls, FieldPrices } from './price-fields.js';
import type { PriceList } from './price-list.js';
import { createTally } from './tally.js';

/** The result of a dry run. */
export interface DryRun {
  readonly price: Price;
  readonly dearest: readonly FieldCalls[];
  readonly plan: PlanNode | null;
  /** The part of the response that is cached. */
  readonly data: JsonObject | null;
}

/** What dry runs are made with. */
export interface DryRunOptions {
  readonly server: GraphqlServer;
  readonly list: PriceList;
  readonly known: KnownNeeds;
  restoreText(text: string): string;
}

/** One request of a client, as far as a dry run needs it. */
export interface DryRequest {
  readonly method: 'GET' | 'POST';
  readonly parameters: GraphqlParameters;
  /** The request that waits for the price; provides its credentials and what is left of its time. */
  readonly gatewayRequest: GatewayRequest;
}

/**
 * Runs an operation without making a call: values come from cached responses, and the calls that it would make are
 * counted. What lies below a value that is not cached is priced by what the operation needed before, or else as
 * declared. Returns the response of an operation that cannot run.
 */
export async function runDry(
  { server, list, known, restoreText }: DryRunOptions,
  { method, parameters, gatewayRequest }: DryRequest,
): Promise<DryRun | GraphqlResponse> {
  const tally = createTally();
  const dry = gatewayRequest.dryRun(tally.record);
  const recorder = createPlanRecorder(dry, restoreText);
  const omissions = createOmissions();
  let resolved: ResolvedOperation | null = null;
  let errors: readonly GraphQLError[] = [];
  const response = await server.run(method, parameters, {
    ...{ gatewayRequest: dry, recorder, omissions },
    resolved: (operation) => {
      resolved = operation;
    },
    onErrors: (listed) => {
      errors = listed;
    },
  });
  dry.finish();
  if (resolved === null || response.data === undefined || response.data === null) {
    if (!response.errors?.every(isNotCached)) return response;
  }
  if (resolved !== null) {
    const share = errors.length === 0 ? 1 : 1 + (omissions.read()?.count ?? 0) / errors.length;
    const below = belowMissing(errors, { fields: new FieldPrices(resolved, list), share });
    const needs = below.length === 0 ? null : known.of(resolved, gatewayRequest);
    tally.add(needs === null ? below : fitToNeeds(below, tally.lookedUp(), needs, Date.now()));
  }
  return {
    price: tally.price(await quotasLeft(server, gatewayRequest)),
    dearest: tally.dearest(),
    plan: recorder.trace([]).plan,
    // The data of a response is JSON.
    data: (response.data ?? null) as JsonObject | null,
  };
}

function isNotCached({ extensions }: Pick<GraphQLFormattedError, 'extensions'>): boolean {
  return extensions?.['code'] === 'NOT_CACHED';
}

/** Values that are missing at one path. */
interface Missing {
  readonly path: readonly string[];
  /** Whether the missing value is needed before the field's own calls, so that those are still to come too. */
  readonly ownCallsFollow: boolean;
  times: number;
}

/** The declared calls below each missing value. `share`: how many errors each listed one stands for. */
function belowMissing(
  errors: readonly GraphQLError[],
  { fields, share }: { readonly fields: FieldPrices; readonly share: number },
): FieldCalls[] {
  const missing = new Map<string, Missing>();
  for (const error of errors) {
    if (!isNotCached(error)) continue;
    const path = (error.path ?? []).filter((step) => typeof step === 'string');
    const ownCallsFollow = error.extensions['ownCallsFollow'] === true;
    const key = `${path.join('.')} ${ownCallsFollow}`;
    const known = missing.get(key) ?? { path, ownCallsFollow, times: 0 };
    known.times += 1;
    missing.set(key, known);
  }
  return [...missing.values()].flatMap(({ path, ownCallsFollow, times }) =>
    fields.below(path, Math.ceil(times * share), ownCallsFollow),
  );
}
