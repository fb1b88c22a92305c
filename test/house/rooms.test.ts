import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file that breaks one lint rule, and that rule. */
const VIOLATIONS: readonly (readonly [file: string, source: string, rule: string])[] = [
  [
    'gateway/g.ts',
    `export function long(): void {\n${'  f();\n'.repeat(61)}}\nconst f = () => {};\n`,
    'noExcessiveLinesPerFunction',
  ],
  ['gateway/h.ts', 'export const f = (a = 0, b = 0, c = 0, d = 0, e = 0) => [a, b, c, d, e];\n', 'useMaxParams'],
  ['gateway/i.ts', `export const a: number[] = [];\n${'a.push(0);\n'.repeat(600)}`, 'noExcessiveLinesPerFile'],
  ['subgraphs/rest/b.ts', 'export const now = () => Date.now();\n', 'noRestrictedGlobals'],
  ['subgraphs/rest/c.ts', 'setTimeout(() => {}, 1);\n', 'noRestrictedGlobals'],
  ['subgraphs/rest/d.ts', 'export const t = () => performance.now();\n', 'noRestrictedGlobals'],
  ['subgraphs/volunteering/b.ts', "export const x = () => fetch('http://a');\n", 'noRestrictedGlobals'],
  ['gateway/c.ts', 'export const url = process.env.PUBLIC_URL;\n', 'noProcessEnv'],
  ['gateway/d.ts', 'const { env } = process;\nexport const port = env.PORT;\n', 'noRestrictedGlobals'],
  ['gateway/e.ts', "export const x = () => globalThis.fetch('http://a');\n", 'noRestrictedGlobals'],
  ['analyst/page/a.tsx', "import '../../gateway/index.js';\n", 'noRestrictedImports'],
  ...[
    ...['useEffect(() => here.scrollIntoView());', 'useLayoutEffect(async () => {});', 'useEffect(watch, []);'],
    'React.useEffect(() => { if (here) return here.scrollIntoView(); return () => {}; });',
  ].map((effect, index) => [`analyst/page/effect-${index}.tsx`, `${effect}\n`, 'plugin'] as const),
  ['gateway/cycle-a.ts', "import { b } from './cycle-b.js';\nexport const a = () => b;\n", 'noImportCycles'],
];

/** A file that imports against the direction of the rooms, and the rule that says so. */
const AGAINST: readonly (readonly [file: string, source: string, rule: string])[] = [
  ['main.ts', "import './test/harness.js';\n", 'no-tests'],
  ['wiring/a.ts', "import '../test/harness.js';\n", 'no-tests'],
  ['gateway/f.ts', "import '../wiring/subgraphs.js';\n", 'gateway'],
  ['schema/a.ts', "import '../gateway/server.js';\n", 'schema'],
  ['schema/b.ts', "import '../runtime/logging.js';\n", 'schema'],
  ['runtime/a.ts', "import '../subgraphs/rest/call/upstream.js';\n", 'runtime'],
  ['runtime/b.ts', "export * from '../gateway/server.js';\n", 'runtime'],
  [
    'subgraphs/codes/a.ts',
    "import type { X } from '../rest/call/upstream.js';\nexport type Y = X;\n",
    'subgraphs-codes',
  ],
  ['subgraphs/rest/a.ts', "import '../work-study/client.js';\n", 'subgraphs-rest'],
  ['subgraphs/work-study/a.ts', "import '../volunteering/client.js';\n", 'service'],
  ['subgraphs/work-study/b.ts', "export const x = () => import('../../gateway/server.js');\n", 'service'],
  ['subgraphs/work-study/c.ts', "import 'undici';\n", 'http'],
  ['subgraphs/volunteering/a.ts', "import '../waste-identity/client.js';\n", 'service'],
  ['subgraphs/waste-identity/a.ts', "import '../../sandbox/index.js';\n", 'service'],
  ['subgraphs/registry.ts', "import '../gateway/server.js';\n", 'subgraphs-alone'],
  ['gateway/a.ts', "import '../subgraphs/work-study/client.js';\n", 'gateway'],
  ['gateway/b.ts', "import 'node:https';\n", 'http'],
  ['gateway/j.ts', "import { env } from 'node:process';\nexport const port = env;\n", 'environment'],
  ['sandbox/a.ts', "import '../subgraphs/rest/call/upstream.js';\n", 'sandbox'],
  ['kernel/one/a.ts', "import '../two/b.js';\n", 'folder-circle'],
];

/** What those files import. */
const IMPORTED = [
  ...['test/harness', 'wiring/subgraphs', 'gateway/server', 'runtime/logging', 'subgraphs/rest/call/upstream'],
  ...['work-study', 'volunteering', 'waste-identity'].map((name) => `subgraphs/${name}/client`),
  ...['sandbox/index', 'kernel/one/c'],
];

/** Effects that return nothing but their clean-up, whatever is returned within them. */
const CLEAN_EFFECTS = `import { useEffect } from 'react';
export function useWatch(list: readonly number[], stop: AbortController, watch: (seen: () => number) => () => void): void {
  useEffect(() => () => stop.abort(), [stop]);
  useEffect(() => {
    if (list.length === 0) return;
    const end = watch(() => {
      return list.length;
    });
    return () => end();
  }, [list, watch]);
}
`;

describe('The linter keeps the rooms of the house apart', () => {
  let folder: string;
  let rulesOf: Map<string, string[]>;

  beforeAll(() => {
    folder = temporaryFolder();
    const text = readFileSync(join(root, 'biome.jsonc'), 'utf8').replaceAll(
      '"./scripts/',
      `"${join(root, 'scripts/')}`,
    );
    write('biome.jsonc', text);
    for (const [file, source] of VIOLATIONS) write(file, source);
    write('gateway/cycle-b.ts', "import { a } from './cycle-a.js';\nexport const b = () => a;\n");
    write('gateway/clean.ts', "import type { Trace } from '../kernel/trace.js';\nexport type Clean = Trace;\n");
    write('analyst/page/clean.tsx', CLEAN_EFFECTS);
    rulesOf = lint(folder);
  });

  test.each(VIOLATIONS)('%s breaks a rule', (file, _source, rule) => {
    expect(rulesOf.get(file)).toContain(rule);
  });

  test.each(['gateway/clean.ts', 'analyst/page/clean.tsx'])('%s keeps the rules and passes', (file) => {
    expect(rulesOf.get(file)).toBeUndefined();
  });

  function write(file: string, text: string): void {
    writeIn(folder, file, text);
  }
});

describe('Imports', () => {
  let broken: Set<string>;

  beforeAll(() => {
    const folder = temporaryFolder();
    for (const file of IMPORTED) writeIn(folder, `${file}.ts`, 'export {};\n');
    for (const [file, source] of AGAINST) writeIn(folder, file, source);
    writeIn(folder, 'kernel/two/b.ts', "import '../one/c.js';\n");
    writeIn(folder, 'gateway/clean.ts', "import '../runtime/logging.js';\n");
    broken = cruise(folder);
  });

  test.each(AGAINST)('of %s go against the direction of the rooms', (file, _source, rule) => {
    expect(broken).toContain(`${rule}: ${rule === 'folder-circle' ? dirname(file) : file}`);
  });

  test('along the direction of the rooms pass', () => {
    expect([...broken].filter((one) => one.includes('clean'))).toEqual([]);
  });
});

function writeIn(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** The rules of directions that are broken, each with the file or folder that breaks it. */
function cruise(folder: string): Set<string> {
  const rooms = ['main.ts', 'gateway', 'kernel', 'runtime', 'sandbox', 'schema', 'subgraphs', 'wiring'];
  const args = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...rooms];
  const cruiser = join(root, 'node_modules/.bin/depcruise');
  const output = spawnSync(cruiser, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).stdout;
  const { summary } = JSON.parse(output) as {
    readonly summary: { readonly violations: readonly { from: string; rule: { name: string } }[] };
  };
  return new Set(summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`));
}

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: unknown } }[];
}

/** The names of the lint rules that each file breaks. */
function lint(folder: string): Map<string, string[]> {
  const biome = join(root, 'node_modules/.bin/biome');
  let output: string;
  try {
    output = execFileSync(biome, ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=200'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    output = (error as { stdout: string }).stdout;
  }
  const report = JSON.parse(output.slice(output.indexOf('{'))) as Report;
  const rules = new Map<string, string[]>();
  for (const { category, location } of report.diagnostics) {
    const { path } = location;
    const file = typeof path === 'string' ? path : String((path as { file?: string }).file);
    rules.set(file, [...(rules.get(file) ?? []), category.split('/').at(-1) ?? category]);
  }
  return rules;
}
