import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';
import { parse } from 'graphql';
import { afterEach, expect, test, vi } from 'vitest';
import apollo from '../../examples/apollo/codegen.js';
import settings from '../../examples/frontend/codegen.json' with { type: 'json' };
import { compileRelay, generate, generateOne } from '../../examples/generate.js';
import urql from '../../examples/urql/codegen.js';

/** Guards that the example's generated files follow from its operations and the graph. */

afterEach(() => void vi.restoreAllMocks());

const api = parse(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

test('the example’s types, documents and manifest are what its operations and the graph say', async () => {
  const files = await generate();
  expect(files.length).toBeGreaterThan(3);
  for (const [file, text] of files) expect(readFileSync(file, 'utf8'), file.pathname).toBe(text);
});

test('what Relay’s compiler made is what the components and the graph say, and its manifest has no other operation', () => {
  compileRelay('--validate');
  const folder = new URL('../../examples/relay/src/__generated__/', import.meta.url);
  const manifest: object = JSON.parse(readFileSync(new URL('persisted-documents.json', folder), 'utf8'));
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const requested = texts.flatMap((text) => /@relayRequestID (\w+)/.exec(text)?.[1] ?? []);
  expect(requested.length).toBeGreaterThan(4);
  expect(Object.keys(manifest).sort()).toEqual(requested.sort());
  for (const [hash, text] of Object.entries(manifest))
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
});

test('its settings name every scalar of the graph, and no other', () => {
  const scalars = api.definitions.flatMap((node) => (node.kind === 'ScalarTypeDefinition' ? node.name.value : []));
  const [generated] = Object.values(settings.generates);
  expect(Object.keys(generated?.config.scalars ?? {}).sort()).toEqual(scalars.sort());
});

test('docs/frontends.md shows these settings', () => {
  const page = readFileSync(new URL('../../docs/frontends.md', import.meta.url), 'utf8');
  const shown = /```json\n(\{\n {2}"schema"[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { generates, ...rest } = JSON.parse(shown) as typeof settings;
  expect(generates).toEqual(settings.generates);
  // Not from introspection, which lacks `@semanticNonNull`.
  expect(rest.schema).toMatch(/\/schema\.graphql$/);
  expect(Object.keys(rest)).toEqual(['schema', 'documents']);
});

test('what examples/README.md says of other settings is so: both libraries would read text, or the manifest would be empty', async () => {
  const output = apollo.generates['src/__generated__/'];
  const generated = async (changes: object) => {
    const generates = { 'src/__generated__/': { ...output, ...changes } };
    const files = await generateOne('apollo', { ...apollo, generates });
    const text = (name: string) => files.find(([{ pathname }]) => pathname.endsWith(name))?.[1] ?? '';
    return { documents: text('/graphql.ts'), manifest: text('/persisted-documents.json') };
  };
  // The generator's own library complains of a fragment that it reads twice.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const inMode = (documentMode: string) => generated({ config: { ...output.config, documentMode } });
  expect((await inMode('string')).documents).toContain('MissionDocument = new TypedDocumentString(');
  expect(JSON.parse((await inMode('documentNode')).manifest)).toEqual({});
  const { documents, manifest } = await generated({ documentTransforms: [] });
  expect(documents).toMatch(/MissionDocument = \{.*"kind":"Document"/);
  expect(manifest).toContain('query Mission(');
  expect(manifest).not.toContain('__typename');
});

const IMPORTED = /from '([^']+)'/g;
const importsOf = (file: string) => [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name = '']) => name);

test.each(['apollo', 'urql', 'relay'])(
  'the documents name what a page like examples/%s has to install and to copy',
  (name) => {
    const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const recipe = read('examples/README.md');
    const folder = fileURLToPath(new URL(`../../examples/${name}/src/`, import.meta.url));
    const said = `${read('docs/frontends.md')}${recipe}${read(`examples/${name}/README.md`)}`;
    const installed = [...said.matchAll(/npm install (?:--save-dev )?([^\n`]+)/g)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    const packages = readdirSync(folder)
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => importsOf(`${folder}${file}`))
      .filter((from) => !from.startsWith('.'))
      .map((from) => /^(@[^/]+\/)?[^/]+/.exec(from)?.[0]);
    expect(installed).toEqual(expect.arrayContaining([...packages, '@types/react', '@types/react-dom']));
    const shared = importsOf(`${folder}client.ts`).filter((from) => from.includes('/shared/'));
    expect(shared.length).toBeGreaterThan(1);
    for (const from of shared) expect(recipe).toContain(`\`${from.slice(from.lastIndexOf('/') + 1, -3)}.ts\``);
  },
);

test('examples/README.md shows the settings of Apollo Client, and and that of urql what its settings add', () => {
  const page = readFileSync(new URL('../../examples/README.md', import.meta.url), 'utf8');
  const shown = /```ts\nimport \{ addTypename[^\n]*\n\nexport default (\{[\s\S]*?\n\});\n```/.exec(page)?.[1] ?? '';
  const settings = new Function('addTypenameSelectionDocumentTransform', `return ${shown}`)(
    addTypenameSelectionDocumentTransform,
  );
  expect(settings.generates).toEqual(apollo.generates);
  const { nullability, ...config } = urql.generates['src/__generated__/'].config;
  expect(config).toEqual(apollo.generates['src/__generated__/'].config);
  const ofUrql = readFileSync(new URL('../../examples/urql/README.md', import.meta.url), 'utf8');
  expect(ofUrql).toContain(`\`nullability: { errorHandlingClient: ${nullability.errorHandlingClient} }\``);
});
