import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type FieldNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPriceList } from '../../gateway/price/field-prices.js';
import { volunteeringSchema } from '../../subgraphs/volunteering/index.js';
import { wasteIdentitySchema } from '../../subgraphs/waste-identity/index.js';
import { workStudySchema } from '../../subgraphs/work-study/index.js';
import { sampleQueries } from '../queries/read.js';
import { onlyInProcess, type Stack, startStack } from './stack.js';

/** Guards that no field makes a call without declaring its price. */

const price = createPriceList(
  new Map([
    ['work-study', workStudySchema],
    ['waste-identity', wasteIdentitySchema],
    ['volunteering', volunteeringSchema],
  ]),
);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
});
afterAll(() => stack.close());

const api = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

test
  .skipIf(onlyInProcess('apart, the place of a call is that of a fetch in the plan, not of its field'))
  .each(sampleQueries().map((example) => [example.name, example] as const))(
  'every call of %s is that of a field with a price',
  async (_name, { query, variables, calls: expected }) => {
    const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
    const { errors, trace } = await stack.send(query, { variables, headers });
    expect(errors).toEqual([]);
    const fields = fieldsByPlace(query, api);
    const calls = trace?.calls ?? [];
    expect(calls.length > 0).toBe(expected > 0);
    const unpriced = calls.filter(({ planNode }) => price(...(fields.get(planNode) ?? ['', planNode])) === undefined);
    expect(unpriced.map(({ planNode, path }) => `${planNode}: ${path}`)).toEqual([]);
  },
);

type TypeAndField = readonly [type: string, field: string];

/** Type and name of each field of an operation without fragments, by its place in the response. */
function fieldsByPlace(query: string, schema: GraphQLSchema): ReadonlyMap<string, TypeAndField> {
  const fields = new Map<string, TypeAndField>();
  const places = [''];
  const info = new TypeInfo(schema);
  const enter = ({ alias, name }: FieldNode) => {
    const place = `${places.at(-1)}${(alias ?? name).value}`;
    const type = info.getType();
    fields.set(place, [info.getParentType()?.name ?? '', name.value]);
    places.push(`${place}${type ? itemsOf(type) : ''}.`);
  };
  const leave = () => {
    places.pop();
  };
  visit(parse(query), visitWithTypeInfo(info, { [Kind.FIELD]: { enter, leave } }));
  return fields;
}

/** `.@` for each list around a type. */
function itemsOf(type: GraphQLOutputType): string {
  const nullable = getNullableType(type);
  return isListType(nullable) ? `.@${itemsOf(nullable.ofType)}` : '';
}
