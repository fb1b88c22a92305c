import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { withPlainPath } from '../../scripts/build-page.mjs';
import { copied, fromRoot } from '../../scripts/stale.mjs';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards a build on Windows, whose folders are separated by a backslash, and in folders with odd names. */

it('names of sources are the same with the separators of Windows, and SDL is copied', () => {
  const entries = [
    { parentPath: 'C:\\passerelle\\subgraphs\\volunteering\\missions', name: 'schema.graphql' },
    { parentPath: 'C:\\passerelle\\kernel', name: 'json.ts' },
  ];
  const names = entries.map((entry) => fromRoot('C:\\passerelle', entry, win32));
  expect(names).toEqual(['subgraphs/volunteering/missions/schema.graphql', 'kernel/json.ts']);
  expect(copied(names)).toEqual(['subgraphs/volunteering/missions/schema.graphql']);
});

it('a page is built in a folder with characters that mean something in addresses', async () => {
  const folder = join(temporaryFolder(), 'C# or why?');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
  writeFileSync(join(folder, 'main.js'), 'import address from "./map.svg"; document.title = address;');
  writeFileSync(join(folder, 'map.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await withPlainPath(folder, ({ path, resolve }) =>
    build({ configFile: false, root: path, resolve, logLevel: 'silent' }),
  );
  expect(existsSync(join(folder, 'dist', 'index.html'))).toBe(true);
});

it('no script of package.json sets a variable, uses a shell’s own words or leaves npm’s signals to a shell', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const scripts = Object.entries(manifest.scripts);
  expect(scripts.filter(([, script]) => /(^|&& )[A-Z_]+=|\$|;|\bexec\b/.test(script.replace(/"[^"]*"/g, '')))).toEqual(
    [],
  );
  const servers = scripts.filter(([name]) => /^(start|sandbox)(:|$)/.test(name));
  expect(servers.filter(([, script]) => script.includes('&&'))).toEqual([]);
});
