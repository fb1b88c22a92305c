import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Runs a script of the package as `npm run` would, but without npm, which the scripts start themselves. */
async function run(script: string) {
  const options = {
    cwd: root,
    env: { ...process.env, PATH: `${fileURLToPath(new URL('node_modules/.bin', root))}:${process.env['PATH']}` },
    maxBuffer: 64 * 1024 * 1024,
  };
  try {
    const { stdout } = await promisify(exec)(scripts[script] ?? `echo ${script} is no script && false`, options);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

test('npm run sbom lists the production tree as CycloneDX, and npm run licences knows every licence in it', async () => {
  const sbom = JSON.parse((await run('sbom')).output) as { bomFormat: string; components: { name: string }[] };
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(sbom.components.map(({ name }) => name)).toContain('fastify');
  expect((await run('licences')).code).toBe(0);
});
