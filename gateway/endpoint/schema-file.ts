import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';
import { withSemanticNonNull } from '../../schema/semantic-non-null.js';

/**
 * Serves the graph at `GET /schema.graphql`, for code generators; our own also marks the fields that are null only with
 * an error. Not called if introspection is off.
 */
export function serveSchemaFile(server: FastifyInstance, schema: () => GraphQLSchema, ours: boolean): void {
  const textOf = (of: GraphQLSchema) => (ours ? withSemanticNonNull(printSchema(of)) : `${printSchema(of)}\n`);
  let printed: { readonly of: GraphQLSchema; readonly text: string } | null = null;
  server.get('/schema.graphql', (_request, reply) => {
    const now = schema();
    if (printed?.of !== now) printed = { of: now, text: textOf(now) };
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' })
      .send(printed.text);
  });
}
