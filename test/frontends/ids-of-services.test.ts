import { afterAll, beforeAll, expect, test } from 'vitest';
import { readId } from '../../subgraphs/graph/ids.js';
import { the } from '../scenarios/samples.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { APPLICATION } from '../work-study/support/application.js';

/** Guards that ids which services gave belong to one object of one type: they stay as they are. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.2 } });
});
afterAll(() => stack.close());

/** Types whose ids a service gave, or makes of such an id. */
const QUERIES = (recruiter: string): Readonly<Record<string, string>> => ({
  Mission: '{ missions(first: 500) { nodes { __typename id } } }',
  MissionAddress: '{ missions(first: 500) { nodes { addresses { __typename id } } } }',
  Organization: '{ organizations(first: 100) { nodes { __typename id } } }',
  JobOffer: `{ jobSearch { jobs { __typename id } } exportedOffers(first: 1000) { nodes { __typename id } }
    jobOffer(id: "${recruiter}") { __typename id identifier { offerId } } }`,
  JobRecruiter:
    '{ jobSearch { recruiters { __typename id } } exportedRecruiters(first: 1000) { nodes { __typename id } } }',
  Formation: '{ formations(first: 100) { nodes { __typename id } } }',
  Viewer: '{ viewer { __typename id } }',
  ApplicationPayload: `mutation ($input: ApplicationInput!) { applyToJob(input: $input) { __typename id } }`,
});

test('no id of a service is one of another type, or has the form of ours', async () => {
  const { world, keys } = stack.sandbox;
  const recruiter = the(world.recruiters[0]);
  const recruiterId = String((recruiter['identifier'] as { id: unknown }).id);
  const headers = { authorization: `Bearer ${keys.waste.token}`, 'x-work-study-key': keys.workStudy.alice };
  const { recipient_id } = recruiter['apply'] as { recipient_id: string };
  const variables = { input: { ...APPLICATION, recipientId: recipient_id } };
  const typeOf = new Map<string, string>();
  for (const [type, query] of Object.entries(QUERIES(recruiterId))) {
    const { data, errors } = await stack.send(query, { headers, variables });
    expect(errors).toEqual([]);
    const ids = idsIn(data);
    expect(ids.length, type).toBeGreaterThan(0);
    for (const { __typename, id } of ids) {
      expect([__typename, typeOf.get(id) ?? __typename, readId(id)]).toEqual([type, type, null]);
      typeOf.set(id, __typename);
    }
  }
  // It was there in both shapes.
  expect(typeOf.get(recruiterId)).toBe('JobRecruiter');
});

interface Identified {
  readonly __typename: string;
  readonly id: string;
}

function idsIn(value: unknown): Identified[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'id' in value && typeof value.id === 'string' ? [value as Identified] : [];
  return [...own, ...Object.values(value).flatMap(idsIn)];
}
