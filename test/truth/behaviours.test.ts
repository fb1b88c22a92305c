import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { BEHAVIOURS, type Behaviour, REFUSED_VALUES } from './support/behaviours.js';
import { post } from './support/post.js';

const ALL = Object.entries(BEHAVIOURS).flatMap(([about, behaviours]) =>
  Object.entries(behaviours).map(([name, behaviour]) => [about.toLowerCase(), name, behaviour] as const),
);

describe.each(USUAL_SHAPE)('The behaviours of the reference implementation, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test.each(ALL)('hold for %s: %s', async (_about, _name, behaviour) => {
    // New, then known, then perhaps from memory.
    for (const time of ['first', 'second', 'third']) await expectBehaviour(behaviour, time);
  });

  async function expectBehaviour({ data, errors = [], refused, ...body }: Behaviour, time: string) {
    const response = await post(stack.url, body);
    const codes = response.errors.map(({ extensions, path }) => [extensions.code, path]);
    const text = `${time} response: ${JSON.stringify(response)}`;
    if (refused === undefined) {
      expect(response.status, text).toBe(200);
      // As text, because the order of keys counts.
      expect(JSON.stringify(response.data), text).toBe(JSON.stringify(data));
      expect(codes, text).toEqual(errors);
      return;
    }
    expect(new Set(codes.map(([code]) => code)), text).toEqual(new Set([refused]));
    expect(response.data, text).toBeUndefined();
    expect(response.status, text).toBe(400);
    expect(stack.calls()).toEqual([]);
  }

  describe.each(REFUSED_VALUES)('refuse values of a variable, %s', (type, use, values) => {
    test.each(values.map((value) => [JSON.stringify(value) ?? 'none', value]))('%s', async (_text, v) => {
      const query = `query ($v: ${type}) { ${use} }`;
      for (const time of ['first', 'second', 'third']) {
        await expectBehaviour({ query, variables: { v }, refused: 'BAD_USER_INPUT' }, time);
      }
      expect((await post(stack.url, { query, variables: { v } })).errors[0]?.message).toContain('"$v"');
    });
  });
});
