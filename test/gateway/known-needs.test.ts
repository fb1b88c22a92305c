import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKnownNeeds, fitToNeeds } from '../../gateway/price/estimates.js';
import { createGatewayRequest } from '../../gateway/request/request.js';
import { unwatched } from '../../kernel/caches.js';
import { fromEachService } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';

const HIT: UpstreamCall = {
  ...{ service: 'volunteering', method: 'GET', path: '/v0/mission/{id}', planNode: 'missions.@' },
  ...{ status: null, startMs: 0, ms: 0, bytes: 0, cache: 'HIT', entities: 1, retries: 0, sent: 0, freshMs: 60_000 },
};

const SCHEMA = buildSchema('type Query { missions: Mission } type Mission { a: Int }');
const BELOW = { cause: 'missions.a', service: 'volunteering', scope: '', calls: 5 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('What an operation needed', () => {
  it.each([
    ['a moment later', 1_000, 0],
    ['once it is stale', 60_000, 3],
    ['where the clock was set back by an hour', -3_600_000, 3],
  ])('What an operation needed is expected to be cached, or called: %s', (_when, passedMs, calls) => {
    const known = createKnownNeeds(unwatched);
    const credentials = fromEachService(() => null);
    const gatewayRequest = createGatewayRequest({
      ...{ id: '', callerId: '', deadlineMs: 1_000, credentials, recordCalls: false },
    });
    const text = '{ missions { a } }';
    const document = parse(text);
    const operation = {
      schema: SCHEMA,
      text,
      document,
      operation: document.definitions[0] as OperationDefinitionNode,
      variables: {},
    };
    const executed = known.watch(operation, gatewayRequest);
    for (let call = 0; call < 3; call += 1) gatewayRequest.recorder.record(HIT);
    executed();
    gatewayRequest.finish();
    vi.setSystemTime(Date.now() + passedMs);
    const needs = known.of(operation, gatewayRequest);
    if (needs === null) throw new Error('forgotten');
    const fitted = fitToNeeds([BELOW], { scopes: [], missed: 0 }, needs, Date.now());
    expect(fitted).toEqual([{ ...BELOW, calls }]);
  });
});
