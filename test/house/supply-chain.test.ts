import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Guards that packages are pinned and need no install scripts. */

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
