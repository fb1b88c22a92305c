/**
 * Generates types, documents and the manifest of operations as `codegen.json` says. It does what `graphql-codegen` does
 * with the same file, but without the packages of its command line, some of which require a newer Node.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ClientPresetConfig, preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, parse } from 'graphql';
import settings from './codegen.json' with { type: 'json' };

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The generated files, each with its address. */
export async function generate(): Promise<readonly (readonly [file: URL, text: string])[]> {
  const schema = parse(read(settings.schema));
  const rawSDL = read(settings.documents);
  const baseOutputDir = 'src/__generated__/';
  const { presetConfig, config } = settings.generates[baseOutputDir];
  const files = await preset.buildGeneratesSection({
    baseOutputDir,
    schema,
    schemaAst: buildASTSchema(schema, { assumeValidSDL: true }),
    documents: [{ location: settings.documents, rawSDL, document: parse(rawSDL) }],
    presetConfig: presetConfig as ClientPresetConfig,
    config,
    plugins: [],
    pluginMap: {},
  });
  return Promise.all(
    files.map(async (file) => [new URL(file.filename, import.meta.url), await codegen(file)] as const),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await generate()) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
