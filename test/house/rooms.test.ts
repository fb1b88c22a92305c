import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file that breaks one lint rule, and that rule. */
const VIOLATIONS: readonly (readonly [file: string, source: string, rule: string])[] = [
  ['main.ts', "import '../test/harness.js';\n", 'noRestrictedImports'],
  ['wiring/a.ts', "import '../test/harness.js';\n", 'noRestrictedImports'],
  ['gateway/f.ts', "import '../wiring/shared-parts.js';\n", 'noRestrictedImports'],
  [
    'gateway/g.ts',
    `export function long(): void {\n${'  f();\n'.repeat(61)}}\nconst f = () => {};\n`,
    'noExcessiveLinesPerFunction',
  ],
  ['gateway/h.ts', 'export const f = (a = 0, b = 0, c = 0, d = 0, e = 0) => [a, b, c, d, e];\n', 'useMaxParams'],
  ['gateway/i.ts', `export const a: number[] = [];\n${'a.push(0);\n'.repeat(600)}`, 'noExcessiveLinesPerFile'],
  ['schema/a.ts', "import '../gateway/server.js';\n", 'noRestrictedImports'],
  ['schema/b.ts', "import '../runtime/logging.js';\n", 'noRestrictedImports'],
  ['runtime/a.ts', "import '../subgraphs/rest/call/upstream.js';\n", 'noRestrictedImports'],
  ['runtime/b.ts', "export * from '../gateway/server.js';\n", 'noRestrictedImports'],
  [
    'subgraphs/codes/a.ts',
    "import type { X } from '../rest/call/upstream.js';\nexport type Y = X;\n",
    'noRestrictedImports',
  ],
  ['subgraphs/rest/a.ts', "import '../work-study/client.js';\n", 'noRestrictedImports'],
  ['subgraphs/rest/b.ts', 'export const now = () => Date.now();\n', 'noRestrictedGlobals'],
  ['subgraphs/rest/c.ts', 'setTimeout(() => {}, 1);\n', 'noRestrictedGlobals'],
  ['subgraphs/rest/d.ts', 'export const t = () => performance.now();\n', 'noRestrictedGlobals'],
  ['subgraphs/work-study/a.ts', "import '../volunteering/client.js';\n", 'noRestrictedImports'],
  ['subgraphs/work-study/b.ts', "export const x = () => import('../../gateway/server.js');\n", 'noRestrictedImports'],
  ['subgraphs/work-study/c.ts', "import 'undici';\n", 'noRestrictedImports'],
  ['subgraphs/volunteering/a.ts', "import '../waste-identity/client.js';\n", 'noRestrictedImports'],
  ['subgraphs/volunteering/b.ts', "export const x = () => fetch('http://a');\n", 'noRestrictedGlobals'],
  ['subgraphs/waste-identity/a.ts', "import '../../sandbox/index.js';\n", 'noRestrictedImports'],
  ['gateway/a.ts', "import '../subgraphs/work-study/index.js';\n", 'noRestrictedImports'],
  ['gateway/b.ts', "import 'node:https';\n", 'noRestrictedImports'],
  ['gateway/c.ts', 'export const url = process.env.PUBLIC_URL;\n', 'noProcessEnv'],
  ['gateway/d.ts', 'const { env } = process;\nexport const port = env.PORT;\n', 'noRestrictedGlobals'],
  ['gateway/e.ts', "export const x = () => globalThis.fetch('http://a');\n", 'noRestrictedGlobals'],
  ['sandbox/a.ts', "import '../subgraphs/rest/call/upstream.js';\n", 'noRestrictedImports'],
  ...[
    ...['useEffect(() => here.scrollIntoView());', 'useLayoutEffect(async () => {});', 'useEffect(watch, []);'],
    'React.useEffect(() => { if (here) return here.scrollIntoView(); return () => {}; });',
  ].map((effect, index) => [`analyst/page/effect-${index}.tsx`, `${effect}\n`, 'plugin'] as const),
  ['gateway/cycle-a.ts', "import { b } from './cycle-b.js';\nexport const a = () => b;\n", 'noImportCycles'],
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
    const text = readFileSync(join(root, 'biome.json'), 'utf8').replaceAll('"./scripts/', `"${join(root, 'scripts/')}`);
    const config = JSON.parse(text) as Record<string, unknown>;
    delete config['vcs'];
    delete config['$schema'];
    write('biome.json', JSON.stringify(config));
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
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
});

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: unknown } }[];
}

/** The names of the lint rules that each file breaks. */
function lint(folder: string): Map<string, string[]> {
  const biome = join(root, 'node_modules/.bin/biome');
  let output: string;
  try {
    output = execFileSync(biome, ['lint', '--reporter=json', '--max-diagnostics=200'], {
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
