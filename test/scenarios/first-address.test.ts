import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const MISSIONS = `missions(remote: [FULL], first: 40) {
  nodes { id title city commune { code { insee } } communeMatch { candidates { insee } } addresses { city } }
}`;

describe.each(USUAL_SHAPE)('A mission whose flat address is not its first one, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterAll(() => stack.close());

  test('has the commune of its first address, for the same calls', async () => {
    const plain = await stack.send(`query Plain { ${MISSIONS} }`);
    const calls = stack.calls();
    stack.forgetCalls();
    stack.sandbox.volunteering.remoteInParis = true;
    // Another key, because what the service sends to one is never used for another.
    const headers = { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice };
    const { data, errors } = await stack.send(`query Paris { ${MISSIONS} }`, { headers });
    expect(errors).toEqual([]);
    const before = new Map<string, { commune: unknown; communeMatch: unknown; city: string | null }>(
      plain.data.missions.nodes.map((node: { id: string }) => [node.id, node]),
    );
    const nodes = data.missions.nodes.filter(({ addresses }: { addresses: object[] }) => addresses.length > 0);
    expect(nodes.length).toBeGreaterThan(3);
    expect(nodes.every(({ city }: { city: string }) => city === 'Paris')).toBe(true);
    expect([...before.values()].some(({ city }) => city !== null && city !== 'Paris')).toBe(true);
    for (const { id, commune, communeMatch } of nodes) {
      const { commune: expected, communeMatch: match } = before.get(id) ?? {};
      expect({ commune, communeMatch }, id).toEqual({ commune: expected, communeMatch: match });
    }
    // The communes are known from the first request.
    expect(stack.calls().length).toBeLessThanOrEqual(calls.length);
    expect(stack.calls().filter((line) => line.startsWith('volunteering'))).toHaveLength(1);
  });
});
