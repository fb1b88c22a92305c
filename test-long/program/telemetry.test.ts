import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SHORT_LIVED } from '../../test/v8-flags.js';

const DIST = new URL('../../dist/', import.meta.url);

/** Starts processes of the product in turn and prints after each whether the tracing library is loaded. */
const SCRIPT = `
  const { createRequire } = await import('node:module');
  const { readConfiguration } = await import('./runtime/configuration/configuration.js');
  const { createLog } = await import('./runtime/process/logging.js');
  const { start } = await import('./main.js');
  const { cache } = createRequire(import.meta.url);
  const log = createLog({ level: 'silent', pretty: false, into: process.stdout });
  for (const [role, env] of JSON.parse(process.argv[1])) {
    const running = await start(readConfiguration(role, { PORT: '0', CACHE_DIR: 'off', ...env }), log, 0.01);
    await running.close();
    console.log(Object.keys(cache).some((path) => path.includes('sdk-trace/')));
  }
  process.exit(0);`;

async function loadedAfter(starts: readonly (readonly [role: string, env: object])[]): Promise<readonly string[]> {
  const flags = [...SHORT_LIVED, '--input-type=module', '-e', SCRIPT, JSON.stringify(starts)];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: DIST });
  return stdout.trim().split('\n').slice(-starts.length);
}

describe('The library of traces', () => {
  it('is loaded with a receiver, and without one nothing of it', async () => {
    // The whole product without a receiver; a subgraph, which starts faster, proves that a loaded library would be
    // seen.
    const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const starts = [['all', {}] as const, ['volunteering', receiver] as const];
    expect(await loadedAfter(starts)).toEqual(['false', 'true']);
  });
});
