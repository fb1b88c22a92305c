import { afterEach, expect, test } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

/** Guards that what may change at any time is not answered from memory, even by an operation that was before. */

let gateway: OpenedGateway;
afterEach(() => gateway.close());

interface Context {
  readonly operation: OperationContext;
}

test('a value that may change at any time is read for each request', async () => {
  let reads = 0;
  const echo = (_root: unknown, { text }: { readonly text: string }, { operation }: Context) => {
    if (text !== 'changing') return text;
    operation.recorder.forbidCaching();
    return String(++reads);
  };
  gateway = await openGateway({ resolvers: { volunteering: { Query: { echo } } } });
  const headers = { 'x-passerelle-trace': '0' };
  const send = async (text: string) =>
    (await gateway.send('query ($text: String) { echo(text: $text) }', { variables: { text }, headers })).data;
  expect([await send('same'), await send('same')]).toEqual([{ echo: 'same' }, { echo: 'same' }]);
  const first = await send('changing');
  expect(await send('changing')).not.toEqual(first);
});
