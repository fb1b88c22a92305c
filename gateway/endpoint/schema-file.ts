import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';
import { withSemanticNonNull } from '../../kernel/semantic-non-null.js';

/**
 * Serves the graph at `GET /schema.graphql`, for code generators. It also marks the fields that are null only with an
 * error. Not called if introspection is off.
 */
export function serveSchemaFile(server: FastifyInstance, schema: GraphQLSchema): void {
  let text: string | null = null;
  server.get('/schema.graphql', (_request, reply) => {
    text ??= withSemanticNonNull(printSchema(schema));
    return reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' }).send(text);
  });
}
