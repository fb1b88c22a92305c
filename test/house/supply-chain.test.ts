import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Guards that packages are pinned and need no install scripts, and that licences are checked. */

const root = new URL('../../', import.meta.url);

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

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

test('every package is pinned by its contents, from whichever registry it comes', () => {
  expect(packages.length).toBeGreaterThan(300);
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('the production tree needs no install script: the image is built without them', () => {
  const scripts = packages.filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true);
  const names = scripts.map(([path]) => path.split('node_modules/').at(-1));
  // These scripts only print a notice about versions.
  expect(names.filter((name) => name !== 'protobufjs' && name !== '@apollo/protobufjs')).toEqual([]);
  expect(readFileSync(new URL('Dockerfile', root), 'utf8')).toContain('npm ci --ignore-scripts');
});

test('npm run sbom lists the production tree as CycloneDX, and npm run licences knows every licence in it', async () => {
  const sbom = JSON.parse((await run('sbom')).output) as { bomFormat: string; components: { name: string }[] };
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(sbom.components.map(({ name }) => name)).toContain('fastify');
  expect((await run('licences')).code).toBe(0);
});
