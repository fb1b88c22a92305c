import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const scripts = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  }
).scripts;

describe('The README', () => {
  test('names only commands that exist', () => {
    const commands = [...readme.matchAll(/`npm (?:run )?([\w:]+)[^`]*`/g)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(6);
    for (const name of commands) expect(Object.keys(scripts)).toContain(name);
  });

  test('says that a new field is served after `compose`: the watcher follows imports, and the supergraph is none', () => {
    expect(readme).toMatch(/`npm run dev` \| .*`npm run compose`/);
    expect(scripts['dev']).toContain('--include schema/supergraph.graphql');
  });
});
