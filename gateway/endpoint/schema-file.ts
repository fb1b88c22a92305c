import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, printSchema } from 'graphql';

/** Serves the graph at `GET /schema.graphql`, for code generators. Not called where introspection is off. */
export function serveSchemaFile(server: FastifyInstance, schema: () => GraphQLSchema): void {
  let printed: { readonly of: GraphQLSchema; readonly text: string } | null = null;
  server.get('/schema.graphql', (_request, reply) => {
    const now = schema();
    if (printed?.of !== now) printed = { of: now, text: `${printSchema(now)}\n` };
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' })
      .send(printed.text);
  });
}
