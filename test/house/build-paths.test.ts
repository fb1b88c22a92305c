import { win32 } from 'node:path';
import { expect, it } from 'vitest';
import { copied, fromRoot } from '../../scripts/stale.mjs';

/** Guards a build on Windows, whose folders are separated by a backslash. */

it('names of sources are the same with the separators of Windows, and SDL is copied', () => {
  const entries = [
    { parentPath: 'C:\\passerelle\\subgraphs\\volunteering\\missions', name: 'schema.graphql' },
    { parentPath: 'C:\\passerelle\\kernel', name: 'json.ts' },
  ];
  const names = entries.map((entry) => fromRoot('C:\\passerelle', entry, win32));
  expect(names).toEqual(['subgraphs/volunteering/missions/schema.graphql', 'kernel/json.ts']);
  expect(copied(names)).toEqual(['subgraphs/volunteering/missions/schema.graphql']);
});

it('no script of package.json sets a variable, uses a shell’s own words or leaves npm’s signals to a shell', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const scripts = Object.entries(manifest.scripts);
  expect(scripts.filter(([, script]) => /(^|&& )[A-Z_]+=|\$|;|\bexec\b/.test(script))).toEqual([]);
  const servers = scripts.filter(([name]) => /^(start|sandbox)(:|$)/.test(name));
  expect(servers.filter(([, script]) => script.includes('&&'))).toEqual([]);
});
