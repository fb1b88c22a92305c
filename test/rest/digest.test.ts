import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { json, startWireServer, type WireServer } from './support/wire-server.js';

/** Guards what making the cached part of a large body leaves to others. */

const STEPS = 50;
const STEP_MS = 1;

let server: WireServer;
let toolkit: Toolkit;

beforeAll(async () => {
  server = await startWireServer(json({ total: STEPS }));
  toolkit = createToolkit(server.url);
});

afterAll(async () => {
  await toolkit.close();
  await server.close();
});

it('a digest is made in turns of the event loop, and is what the client reads', async () => {
  let turnsSoFar = 0;
  let during = 0;
  let isOver = false;
  const count = () => {
    turnsSoFar += 1;
    if (!isOver) setImmediate(count);
  };
  function* slowly(body: unknown): Generator<void, unknown> {
    const before = turnsSoFar;
    for (let step = 0; step < STEPS; step++) {
      const untilMs = performance.now() + STEP_MS;
      while (performance.now() < untilMs) {}
      yield;
    }
    during = turnsSoFar - before;
    return { of: body };
  }
  const request = search({ digest: { name: 'slow digest', of: slowly }, parse: ({ json: part }) => ({ part }) });
  count();
  const value = await toolkit.call(request, createOperation());
  isOver = true;
  expect(value).toEqual({ part: { of: { total: STEPS } } });
  expect(during).toBeGreaterThan(STEPS / 2);
});
