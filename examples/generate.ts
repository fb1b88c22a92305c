/**
 * `npx tsx examples/generate.ts` generates types, documents and the manifest of operations of each example as its
 * settings say. It does what `graphql-codegen` does with them, but without the packages of its command line, some of which
 * require a newer Node; Relay has a compiler of its own.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type ClientPresetConfig, preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, parse } from 'graphql';
import apollo from './apollo/codegen.js';
import frontend from './frontend/codegen.json' with { type: 'json' };
import urql from './urql/codegen.js';

/** What the command line reads of one example. */
interface Settings {
  readonly schema: string;
  readonly documents: string;
  readonly generates: Readonly<Record<string, Output>>;
}

interface Output {
  readonly presetConfig: object;
  readonly config: object;
  readonly documentTransforms?: readonly Transform[];
}

type Transform = Required<NonNullable<Parameters<typeof codegen>[0]['documentTransforms']>[number]>['transformObject'];

const EXAMPLES: Readonly<Record<string, Settings>> = { frontend, apollo, urql };

/** The generated files of all examples, each with its address. */
export async function generate(): Promise<readonly (readonly [file: URL, text: string])[]> {
  const files = await Promise.all(Object.entries(EXAMPLES).map(([name, settings]) => generateOne(name, settings)));
  return files.flat();
}

/** The same of one example, by its settings. */
export async function generateOne(name: string, { schema: api, documents, generates }: Settings) {
  const folder = new URL(`${name}/`, import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
  const schema = parse(read(api));
  const rawSDL = read(documents);
  const [[baseOutputDir, output] = []] = Object.entries(generates);
  if (baseOutputDir === undefined || output === undefined) throw new Error(`${name} generates nothing.`);
  const files = await preset.buildGeneratesSection({
    baseOutputDir,
    schema,
    schemaAst: buildASTSchema(schema, { assumeValidSDL: true }),
    documents: [{ location: documents, rawSDL, document: parse(rawSDL) }],
    documentTransforms: (output.documentTransforms ?? []).map((transformObject) => ({
      name: 'typename',
      transformObject,
      config: {},
    })),
    presetConfig: output.presetConfig as ClientPresetConfig,
    config: output.config,
    plugins: [],
    pluginMap: {},
  });
  return Promise.all(files.map(async (file) => [new URL(file.filename, folder), await codegen(file)] as const));
}

/** Runs Relay's compiler on its example: `--validate` only says whether anything is out of date, with an Error. */
export function compileRelay(option: '--repersist' | '--validate'): void {
  const program = createRequire(import.meta.url).resolve('relay-compiler/cli.js');
  const cwd = fileURLToPath(new URL('relay/', import.meta.url));
  execFileSync(process.execPath, [program, option, '--output', 'quiet-with-errors'], { cwd, stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await generate()) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
  // The compiler adds to what is there.
  writeFileSync(new URL('relay/src/__generated__/persisted-documents.json', import.meta.url), '{}');
  compileRelay('--repersist');
}
