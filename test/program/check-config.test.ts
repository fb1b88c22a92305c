import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heapShare } from '../../kernel/caches.js';
import { workStudyToken } from '../../sandbox/work-study/http/callers.js';
import { temporaryFolder } from '../temporary-folder.js';
import { SHORT_LIVED } from '../v8-flags.js';

const run = promisify(execFile);
const DIST = new URL('../../dist/', import.meta.url).pathname;

/** For each message, runs the program's first module with these arguments and this environment; sends the outcome. */
const AGAIN = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let output = '';
  process.stdout.write = (text) => Boolean((output += text));
  // The last words of a process are written at once.
  fs.writeSync = (_file, bytes) => {
    output += bytes;
    return bytes.length;
  };
  syncBuiltinESMExports();
  const run = async ({ args, env, at }) => {
    output = '';
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.argv.splice(1, Infinity, process.cwd() + '/main.js', ...args);
    process.exitCode = 0;
    await import('./main.js?' + at);
    process.send({ code: process.exitCode, output });
  };
  process.on('message', run);
`;

let again: ChildProcess;
let count = 0;
const died = new AbortController();
beforeAll(() => {
  const stdio: ['ignore', 'ignore', 'inherit', 'ipc'] = ['ignore', 'ignore', 'inherit', 'ipc'];
  again = spawn(process.execPath, [...SHORT_LIVED, '--input-type=module', '-e', AGAIN], { cwd: DIST, stdio });
  again.once('exit', () => died.abort());
});
afterAll(() => void again.disconnect());

/** The same in a single process, one run after the other, because most of a start is loading the program's modules. */
async function mainAgain(args: readonly string[], env: Record<string, string>) {
  again.send({ args, env, at: count++ });
  const [seen] = (await once(again, 'message', { signal: died.signal })) as [{ code: number; output: string }];
  return seen;
}

const SECRETS = {
  VOLUNTEERING_API_KEY: 'a-secret-key',
  SESSION_SECRET: 'a-secret-of-thirty-two-characters',
  CACHE_URL: 'redis://:a-secret-password@127.0.0.1:6379',
  SUBGRAPH_TOKEN: 'a-secret-token',
  TRACE: 'a-secret-for-traces',
};

describe('--check-config', () => {
  it('ends with 1 and every mistake, the files that are named among them', async () => {
    const wrong = await mainAgain(['gateway', '--check-config'], { PORT: 'many', CORS_ORIGINS: '*' });
    expect(wrong.code).toBe(1);
    for (const name of ['PORT', 'CORS_ORIGINS']) expect(wrong.output).toContain(name);
    const all = await mainAgain(['--check-config'], { PORT: 'many', SAFELIST: '/nowhere/b' });
    expect(all.code).toBe(1);
    for (const mistake of ['PORT must be', 'SAFELIST names a file']) expect(all.output).toContain(mistake);
  });

  it('takes a safelist that an editor began with a byte order mark', async () => {
    const file = join(temporaryFolder(), 'safelist.json');
    const query = '{ __typename }';
    const hash = createHash('sha256').update(query).digest('hex');
    await writeFile(file, `\uFEFF${JSON.stringify({ [hash]: query })}`);
    expect(await mainAgain(['gateway', '--check-config'], { SAFELIST: file })).toMatchObject({ code: 0 });
  });

  it('ends with 0 and a line for each setting that the next release will refuse', async () => {
    const { code, output } = await mainAgain(['--check-config'], {
      NODE_ENV: 'production',
      SESSION_SECRET: SECRETS.SESSION_SECRET,
      VOLUNTEERING_URL: 'http://volunteering.example',
      VOLUNTEERING_API_KEY: 'key',
      TRACE: SECRETS.TRACE,
    });
    expect(code).toBe(0);
    expect(output.split('\n')).toEqual([
      'The configuration is good.',
      expect.stringMatching(/^Warning: VOLUNTEERING_URL should be https/),
      expect.stringMatching(/^Warning: TRACE should be/),
      '',
    ]);
  });

  it('fails with a key that has expired, and warns of one that soon does', async () => {
    const env = { WORK_STUDY_URL: 'https://work.example/api' };
    const key = (days: number) =>
      workStudyToken('a-secret-key', { exp: Math.floor(Date.now() / 1000) + days * 86_400 });
    const expired = await mainAgain(['--check-config'], { ...env, WORK_STUDY_API_KEY: key(-1) });
    expect(expired).toMatchObject({ code: 1, output: expect.stringContaining('WORK_STUDY_API_KEY expired on ') });
    const soon = await mainAgain(['--check-config'], { ...env, WORK_STUDY_API_KEY: key(9.5) });
    expect(soon).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Warning: WORK_STUDY_API_KEY ends .*10 days/m),
    });
    expect(expired.output + soon.output).not.toContain(key(9.5).split('.')[0]);
  });

  it('finds a CACHE_DIR that is no folder, or below a file, and takes one that is still to be made', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const CACHE_DIR of [file, join(file, 'below')])
      expect(await mainAgain(['--check-config'], { CACHE_DIR })).toMatchObject({
        code: 1,
        output: expect.stringContaining('CACHE_DIR must be a folder'),
      });
    expect(await mainAgain(['--check-config'], { CACHE_DIR: join(folder, 'new', 'one') })).toMatchObject({ code: 0 });
  });

  it('ends with 2 where it would check less than the command line names', async () => {
    const twice = await mainAgain(['subgraph', 'work-study', 'volunteering', '--check-config'], {});
    expect(twice).toEqual({ code: 2, output: 'volunteering is an unexpected argument. See --help.\n' });
  });
});

describe('--print-config', () => {
  it('prints every variable and no secret', async () => {
    const { code, output } = await mainAgain(['--print-config'], {
      VOLUNTEERING_URL: 'https://volunteering.example',
      ...SECRETS,
    });
    expect(code).toBe(0);
    expect(output).toContain('VOLUNTEERING_URL=https://volunteering.example\n');
    expect(output).toContain('PORT  (default: 4000)\n');
    expect(output).toContain('NODE_ENV  (default: development)\n');
    for (const name of Object.keys(SECRETS)) expect(output).toContain(`${name}=(set)\n`);
    expect(output).not.toContain('a-secret');
  });

  it('prints the defaults of the process that would start, and the words of a switch', async () => {
    const subgraph = await mainAgain(['subgraph', 'waste-identity', '--print-config'], { TRACE: 'Off' });
    const gateway = await mainAgain(['gateway', '--print-config'], { TRACE: 'true' });
    for (const line of [
      'PORT  (default: 4002)',
      'OTEL_SERVICE_NAME  (default: passerelle-waste-identity)',
      'TRACE=Off',
    ]) {
      expect(subgraph.output).toContain(`${line}\n`);
    }
    const elsewhere = 'SUBGRAPH_WASTE_IDENTITY_URL  (default: http://127.0.0.1:4002/graphql)';
    for (const line of ['PORT  (default: 4000)', 'OTEL_SERVICE_NAME  (default: passerelle)', elsewhere, 'TRACE=true']) {
      expect(gateway.output).toContain(`${line}\n`);
    }
  });
});

describe('the sizes of caches', () => {
  it('follow the heap of the process', () => {
    const gibibyte = 1024 ** 3;
    expect(heapShare(4 * gibibyte)).toBe(1);
    expect(heapShare(1.5 * gibibyte)).toBeCloseTo(0.44, 2);
    expect(heapShare(0.5 * gibibyte)).toBe(0.05);
  });

  it('know --max-old-space-size', async () => {
    const script = `import { heapShare } from './kernel/caches.js'; console.log(heapShare())`;
    const flags = ['--max-old-space-size=1024', '--input-type=module', '-e', script];
    const { stdout } = await run(process.execPath, flags, { cwd: new URL('../../dist/', import.meta.url) });
    expect(Number(stdout)).toBeGreaterThan(0.05);
    expect(Number(stdout)).toBeLessThan(0.5);
  });
});
