import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameIn } from '../../gateway/limits/safelist.js';
import { readTraceparent } from '../../runtime/http/request-headers.js';
import { freePorts } from '../bounds/support/free-port.js';
import { type Stack, startStack } from '../scenarios/stack.js';

/** Guards what logs and traces call a request. */

/** So much space is not searched for a name. */
const FAR = ' '.repeat(2_000);

describe('An operation that is sent without operationName', () => {
  let stack: Stack;
  let metricsPort = 0;
  beforeAll(async () => {
    metricsPort = await freePorts(1);
    const env = { METRICS_PORT: String(metricsPort) };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false, env });
  });
  afterAll(() => stack.close());

  /** How many requests the metrics have under a name. */
  async function counted(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const count = new RegExp(`operation_duration_seconds_count\\{operation="${name}",outcome="ok"\\} (\\d+)`).exec(
      text,
    );
    return Number(count?.[1] ?? 0);
  }

  it.each([
    ['query Towns { departements { nom } }', 'Towns'],
    ['# of a page\nquery Towns { departements { nom } }', 'Towns'],
    ['{ departements { nom } }', undefined],
    ['fragment query on Departement { nom } query Towns { departements { ...query } }', 'Towns'],
    [`fragment F on Departement { nom${FAR}} query Towns { departements { ...F } }`, 'Towns'],
    ['fragment F on Departement { nom } { departements { ...F } }', undefined],
  ])('has in the log and the metrics its own name, executed or not: %s', async (query, name) => {
    const before = await counted(name ?? 'unnamed');
    const from = stack.log.lines.length;
    for (const _time of [1, 2, 3]) await stack.send(query);
    const answered = stack.log.lines.slice(from).filter(({ message }) => message === 'request answered');
    expect(answered.map(({ fields }) => (fields as { operation?: string }).operation)).toEqual([name, name, name]);
    expect((await counted(name ?? 'unnamed')) - before).toBe(3);
  });
});

it.each([
  ['fragment F on Departement { nom }\n query Towns { departements', 'Towns'],
  ['fragment query on Departement { nom } { departements }', undefined],
  ['query ($a: String = "query B") { departements }\nquery Second { c }', 'Second'],
  ['query { mutation Not { a } }', undefined],
  [`fragment F on Departement { nom${FAR}}\nquery Towns { a }`, undefined],
  ['query "Towns', undefined],
])('A text that is not read as an operation is called by the first in it, if that is near: %s', (text, name) => {
  expect(nameIn(text)).toBe(name);
});

const REST = '-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

it.each([
  [`00${REST}`, `00${REST}`],
  [`01${REST}`, `00${REST}`],
  [`cc${REST}-what-the-future-adds`, `00${REST}`],
  [`00${REST}-more`, undefined],
  [`cc${REST}.more`, undefined],
  [`ff${REST}`, undefined],
  [`01${REST.replace('b7ad6b7169203331', '0'.repeat(16))}`, undefined],
])('The trace context %s is read by its first parts', (traceparent, read) => {
  expect(readTraceparent({ traceparent })).toBe(read);
});
