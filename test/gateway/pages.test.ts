import { afterEach, describe, expect, it } from 'vitest';
import type { Phase } from '../../runtime/lifecycle.js';
import { type OpenedGateway, openGateway } from './kit/open-gateway.js';

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe('the plain query page', () => {
  it('is where / leads, and brings only files of its own origin', async () => {
    gateway = await openGateway();
    const home = await fetch(gateway.url, { redirect: 'manual' });
    expect([home.status, home.headers.get('location')]).toEqual([302, '/graphiql']);
    const page = await fetch(`${gateway.url}/graphiql`);
    const html = await page.text();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|https?:\/\//);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(files).toHaveLength(2);
    for (const path of files) expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
  });

  it('is not there when it is off, and neither is what it needs', async () => {
    gateway = await openGateway({ gateway: { graphiql: false } });
    for (const path of ['/', '/graphiql', '/graphiql/page.js', '/metrics']) {
      expect((await fetch(`${gateway.url}${path}`, { redirect: 'manual' })).status).toBe(404);
    }
  });
});

describe('health', () => {
  it.each(['in process', 'apart'] as const)('tells the state of each source, %s', async (shape) => {
    gateway = await openGateway({ shape });
    gateway.subgraphs.volunteering.state = 'LOADING';
    const ready = await fetch(`${gateway.url}/readyz`);
    expect([ready.status, ready.headers.get('x-passerelle-upstreams')]).toEqual([200, 'sandbox']);
    expect(await ready.json()).toEqual({
      status: 'ready',
      upstreams: 'sandbox',
      sources: [
        { name: 'work-study', state: 'UP', upstream: 'sandbox' },
        { name: 'waste-identity', state: 'UP', upstream: 'sandbox' },
        { name: 'volunteering', state: 'LOADING', upstream: 'sandbox' },
      ],
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
