import type { FastifyServerOptions } from 'fastify';

/** For servers whose routes have no schemas: fastify then loads neither of its compilers, a fifth of startup time. */
export const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler },
};

function noCompiler(): never {
  throw new Error('No route of this server has a schema.');
}
