import { type Schema, Supergraph } from '@apollo/federation-internals';
import type { GraphQLSchema } from 'graphql';

/**
 * Hundreds of stacks start in one process, nearly all with one of two supergraphs, and half of a start is the library
 * reading its text. Importing this file makes it read each text once: the result is never changed.
 */

/** More than tests of one file compose. */
const MAX_TEXTS = 10;

const { build } = Supergraph;
const texts = new Map<string, Supergraph>();

Supergraph.build = (sdl, options) => {
  const key = JSON.stringify([sdl, options]);
  const supergraph = texts.get(key) ?? readOnce(build(sdl, options));
  texts.set(key, supergraph);
  for (const [oldest] of texts) {
    if (texts.size <= MAX_TEXTS) break;
    texts.delete(oldest);
  }
  return supergraph;
};

function readOnce(supergraph: Supergraph): Supergraph {
  const { schema } = supergraph;
  convertOnce(schema);
  let apiSchema: Schema | undefined;
  supergraph.apiSchema = () => {
    apiSchema ??= convertOnce(schema.toAPISchema());
    return apiSchema;
  };
  return supergraph;
}

function convertOnce(schema: Schema): Schema {
  const convert = schema.toGraphQLJSSchema.bind(schema);
  let converted: GraphQLSchema | undefined;
  schema.toGraphQLJSSchema = (config) => {
    if (config !== undefined) return convert(config);
    converted ??= convert();
    return converted;
  };
  return schema;
}
