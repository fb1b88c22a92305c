import { expect, it } from 'vitest';
import { copied } from '../../scripts/stale.mjs';

/** Guards what a build takes along, and scripts on Windows. */

it('SDL is copied, and what is compiled is not', () => {
  const names = ['subgraphs/volunteering/missions/schema.graphql', 'kernel/json.ts'];
  expect(copied(names)).toEqual(['subgraphs/volunteering/missions/schema.graphql']);
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
