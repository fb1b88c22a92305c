import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../test/scenarios/stack.js';

const FOLDER = fileURLToPath(new URL('../../examples/notebook/', import.meta.url));

const LANGUAGES = [
  { program: 'python3', file: 'passerelle.py', packages: 'python3' },
  { program: 'Rscript', file: 'passerelle.R', packages: 'r-base-core' },
].map((language) => ({ ...language, isHere: spawnSync(language.program, ['--version']).status === 0 }));

for (const { file, packages, isHere } of LANGUAGES) {
  if (!isHere) console.log(`left out: ${file}, because ${packages} is not installed (\`apt-get install ${packages}\`)`);
}

describe.each(LANGUAGES)('The lines for notebooks in $file', ({ program, file, isHere }) => {
  let stack: Stack;
  beforeAll(async () => {
    if (isHere) stack = await startStack({ shape: 'in process', sandbox: { scale: 0.2 } });
  });
  afterAll(() => stack?.close());

  test.skipIf(!isHere)('read all rows of a list and the responses to a query', async () => {
    const { data } = await stack.send('{ missions(first: 1) { totalCount } }');
    const env = { ...process.env, GATEWAY_URL: stack.url };
    const { stdout } = await promisify(execFile)(program, [file], { cwd: FOLDER, env });
    const said = new Map(stdout.split('\n').map((line) => line.trim().split(': ') as [string, string]));
    expect(Number(said.get('missions'))).toBe(data.missions.totalCount);
    expect(Number(said.get('missions')), 'more than one page').toBeGreaterThan(500);
    expect(Number(said.get('domains'))).toBeGreaterThan(3);
    expect(stdout).not.toContain('x-passerelle-');
    if (said.has('first commune')) expect(said.get('first commune')).toBe('Saint-Denis');
  });

  test.skipIf(!isHere)('end with the gateway’s own words where it refuses', async () => {
    const env = { ...process.env, GATEWAY_URL: `${stack.url}/nowhere` };
    await expect(promisify(execFile)(program, [file], { cwd: FOLDER, env })).rejects.toThrow('404');
  });
});
