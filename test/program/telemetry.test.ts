import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const DIST = new URL('../../dist/', import.meta.url);

/** Starts a process and tells whether the library of traces is among its modules. */
const SCRIPT = `
  const { readConfiguration } = await import('./runtime/configuration/configuration.js');
  const { createLog } = await import('./runtime/process/logging.js');
  const { start } = await import('./main.js');
  const configuration = readConfiguration('all', { PORT: '0', CACHE_DIR: 'off', ...JSON.parse(process.argv[1]) });
  const running = await start(configuration, createLog({ level: 'silent', pretty: false }), 0.01);
  await running.close();
  const { createRequire } = await import('node:module');
  const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('sdk-trace/'));
  console.log(loaded);
  process.exit(0);`;

async function loads(env: object): Promise<string | undefined> {
  const flags = ['--input-type=module', '-e', SCRIPT, JSON.stringify(env)];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: DIST });
  return stdout.trim().split('\n').at(-1);
}

describe('The library of traces', () => {
  it('is loaded with a receiver, and without one nothing of it', async () => {
    expect(await loads({})).toBe('false');
    expect(await loads({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toBe('true');
  });
});
