import { parse } from 'yaml';
import { isRecord } from '../../kernel/text.js';

/** A service's published OpenAPI document: its routes, and the schemas of what they send. */

/** A JSON schema, of OpenAPI 3.0 or 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** A documented route. */
export interface Route {
  /** `GET` and so on. */
  readonly method: string;
  /** With `{}` for each path parameter, and without the part of the address before the paths. */
  readonly path: string;
  /** Of a successful JSON response; null where none is documented. */
  readonly schema: Schema | null;
}

/** An OpenAPI document. */
export interface OpenApi {
  readonly routes: readonly Route[];
  /** The schema itself, or the one that it refers to. */
  resolve(schema: Schema): Schema;
}

/** Reads a document as text: JSON is YAML too, but read a hundred times faster as what it is. */
export function readDocument(text: string): OpenApi | null {
  const document: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : parse(text);
  if (!isRecord(document) || !isRecord(document['paths'])) return null;
  const resolve = (schema: Schema): Schema => {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return schema;
    const [, ...steps] = reference.split('/');
    const found = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), document);
    return isRecord(found) ? resolve(found) : {};
  };
  const routes = Object.entries(document['paths']).flatMap(([path, methods]) =>
    Object.entries(isRecord(methods) ? methods : {}).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: shapeOf(path),
      schema: schemaAt(operation, resolve),
    })),
  );
  return { routes, resolve };
}

function schemaAt(operation: unknown, resolve: OpenApi['resolve']): Schema | null {
  const steps = ['responses', '200', 'content', 'application/json', 'schema'];
  const found = steps.reduce<unknown>((at, step) => (isRecord(at) ? resolve(at)[step] : undefined), operation);
  return isRecord(found) ? found : null;
}

/** The documented route of a call such as `GET /path/{id}`; undefined if there is none. */
export function routeOf({ routes }: OpenApi, call: string): Route | undefined {
  const [method = '', path = ''] = call.split(' ');
  const shape = shapeOf(path);
  return routes.find((route) => route.method === method && (shape.endsWith(route.path) || route.path.endsWith(shape)));
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}|:\w+/g, '{}').replace(/\/+$/, '');
}
