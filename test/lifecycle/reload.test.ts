import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Running, start } from '../../main.js';
import { type Configuration, readConfiguration } from '../../runtime/configuration/configuration.js';
import type { Log } from '../../schema/log.js';
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
  running = await start(configurationWith({}), log);
});
afterEach(async () => {
  await running.close();
  await foreign.close();
});

function configurationWith(variables: Record<string, string>): Configuration {
  return readConfiguration('gateway', { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: foreign.file, ...variables });
}

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

  it('that is replaced while the process starts is the one in use', async () => {
    await running.close();
    await foreign.write('b');
    const next = await readFile(foreign.file);
    await foreign.write('a');
    // The start warns about this unusable folder after it has read the supergraph and before it listens.
    const replacing: Log = { ...log, warn: () => writeFileSync(foreign.file, next) };
    const folder = join(foreign.file, 'no-folder');
    running = await start(configurationWith({ CACHE_DIR: folder }), replacing);
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
