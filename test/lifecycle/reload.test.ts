import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Running, start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { POLLING } from '../polling.js';
import { createMemoryLog, type MemoryLog } from '../scenarios/memory-log.js';
import { type ForeignGraph, openForeignGraph, QUERY } from './support/foreign-graph.js';
import { reloads } from './support/reloads.js';

let foreign: ForeignGraph;
let running: Running;
let log: MemoryLog;

beforeEach(async () => {
  foreign = await openForeignGraph();
  log = createMemoryLog();
  const configuration = readConfiguration('gateway', { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: foreign.file });
  running = await start(configuration, log);
});
afterEach(async () => {
  await running.close();
  await foreign.close();
});

async function edition(): Promise<string> {
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  });
  const { data } = (await response.json()) as { data: { port: { edition: string } } };
  return data.port.edition;
}

describe('A foreign supergraph', () => {
  it('is reloaded when its file changes', async () => {
    expect(await edition()).toBe('a');
    await foreign.write('b');
    await vi.waitFor(async () => expect(await edition()).toBe('b'), POLLING);
  });

  it('is reloaded without a request that is dropped, or answered by two of them', async () => {
    const { answered, dropped, reloaded } = await reloads(4);
    expect(dropped).toEqual([]);
    expect(reloaded).toBe(4);
    expect(answered).toBeGreaterThan(4);
  });

  it.each([
    ['no schema', 'type Query {'],
    ['no supergraph', 'type Query { a: Int }'],
    ['empty', ''],
  ])('that is %s leaves the one before it in use, and says so', async (_name, text) => {
    await foreign.writeText(text);
    expect(await running.reload?.()).toBe('unusable');
    expect(log.text()).toContain('the supergraph cannot be used: the previous one stays');
    expect(await edition()).toBe('a');
    await foreign.write('b');
    expect(await running.reload?.()).toBe('reloaded');
    expect(await edition()).toBe('b');
  });

  it('does not become the one of this build, whose subgraphs are given credentials', async () => {
    await foreign.writeText(await readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8'));
    expect(await running.reload?.()).toBe('refused');
    expect(log.text()).toContain('restart');
    expect(await edition()).toBe('a');
  });

  it('that has not changed is left alone', async () => {
    expect(await running.reload?.()).toBe('unchanged');
  });
});
