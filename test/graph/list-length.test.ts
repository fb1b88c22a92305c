import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../scenarios/stack.js';

/** A list of arguments becomes part of an address, whose maximum length is checked before any call. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
});
afterAll(() => stack.close());

const cities = (count: number, letters = 4) =>
  Array.from({ length: count }, (_, n) => String(n).padStart(letters, 'x'));

async function refused(query: string, variables: Record<string, unknown>): Promise<unknown[]> {
  stack.forgetCalls();
  const { data, errors } = await stack.send(query, { variables });
  expect(Object.values(data ?? {})).toEqual([null]);
  expect(stack.calls().filter((line) => /missions?\b|search|offer/.test(line))).toEqual([]);
  return errors.map(({ path, message, extensions }) => [extensions.code, path, message]);
}

describe('A list in the arguments of a field', () => {
  const BY_CITY = 'query ($list: [String!]) { found: missions(first: 1, city: $list) { totalCount } }';

  test('of two hundred items is sent', async () => {
    stack.forgetCalls();
    const { errors } = await stack.send(BY_CITY, { variables: { list: cities(200) } });
    expect(errors).toEqual([]);
    expect(stack.calls()).toHaveLength(1);
  });

  test.each([201, 5000])('of %i items is refused at its field, without a call', async (count) => {
    const message = 'city takes at most 200 items.';
    expect(await refused(BY_CITY, { list: cities(count) })).toEqual([['BAD_USER_INPUT', ['found'], message]]);
  });

  test('of codes is refused alike', async () => {
    const list = Array.from({ length: 201 }, (_, n) => `A${1000 + n}`);
    const query = 'query ($list: [ROMECode!]) { found: jobSearch(romes: $list) { truncated } }';
    expect(await refused(query, { list })).toEqual([['BAD_USER_INPUT', ['found'], 'romes takes at most 200 items.']]);
  });

  test('that makes an address of more than 8 kB is refused, however few items it has', async () => {
    const message = 'The arguments make a URL of more than 8192 bytes: request less.';
    for (const list of [cities(20, 450), cities(3, 450).map((city) => city.replaceAll('x', '東'))]) {
      expect(await refused(BY_CITY, { list })).toEqual([['BAD_USER_INPUT', ['found'], message]]);
    }
  });
});

describe('A text that no address can hold', () => {
  test('is refused at its field, without a call', async () => {
    const query = 'query ($text: String) { found: missionSearch(text: $text) { totalCount } }';
    const message = 'The arguments hold a NUL character.';
    expect(await refused(query, { text: 'a\u0000b' })).toEqual([['BAD_USER_INPUT', ['found'], message]]);
  });
});
