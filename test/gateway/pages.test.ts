import { afterEach, describe, expect, it, vi } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import type { Phase } from '../../runtime/process/lifecycle.js';
import { POLLING } from '../polling.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe('the pages', () => {
  it('are not there when they are off, and neither is what they need', async () => {
    gateway = await openGateway({ gateway: { graphiql: false } });
    for (const path of ['/', '/graphiql', '/graphiql/assets/index.js', '/home/home.js', '/metrics']) {
      expect((await fetch(`${gateway.url}${path}`, { redirect: 'manual' })).status).toBe(404);
    }
  });
});

describe('health', () => {
  it.each(['in process', 'apart'] as const)('tells the state of each source, %s', async (shape) => {
    gateway = await openGateway({ shape });
    gateway.subgraphs.volunteering.state = 'LOADING';
    // What was found at the start serves all who ask within a second.
    const fetched = () => fetch(`${gateway?.url}/readyz`);
    await vi.waitFor(async () => expect(await (await fetched()).text()).toContain('LOADING'), POLLING);
    const ready = await fetched();
    expect([ready.status, ready.headers.get('x-passerelle-upstreams')]).toEqual([200, 'sandbox']);
    expect(await ready.json()).toEqual({
      status: 'ready',
      upstreams: 'sandbox',
      sources: SERVICES.map((name) => {
        const state = name === 'volunteering' ? 'LOADING' : 'UP';
        return { name, state, upstream: 'sandbox', ...NO_FIGURES };
      }),
    });
  });

  it('is alive but not ready while starting and draining', async () => {
    let phase: Phase = 'starting';
    gateway = await openGateway({ gateway: { phase: () => phase } });
    const statuses = async () => {
      const [alive, ready] = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(`${gateway?.url}${path}`)));
      return [alive?.status, ready?.status];
    };
    expect(await statuses()).toEqual([200, 503]);
    phase = 'ready';
    expect(await statuses()).toEqual([200, 200]);
    phase = 'draining';
    expect(await statuses()).toEqual([200, 503]);
  });
});
