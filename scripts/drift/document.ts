import { parse } from 'yaml';
import { isRecord } from '../../kernel/text.js';
import type { Drift } from './compare.js';
import type { Observation } from './observe.js';

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

/** Time limit in milliseconds, for a document that no caller waits for. */
const DOCUMENT_MS = 10_000;
const DOCUMENT_BYTES = 16 * 1024 * 1024;

/** The document at an address, in JSON or YAML; null if it cannot be read. */
export async function fetchDocument(url: string): Promise<OpenApi | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOCUMENT_MS) });
    if (!response.ok || response.body === null) return null;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > DOCUMENT_BYTES) return null;
      chunks.push(chunk);
    }
    return readDocument(Buffer.concat(chunks).toString());
  } catch {
    return null;
  }
}

/** Reads a document as text: JSON is YAML too, but read a hundred times faster as what it is. */
function readDocument(text: string): OpenApi | null {
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

/** Routes that the code calls and that the document lacks, each with the root fields that rest on it. */
export function missingRoutes(document: OpenApi, { calls }: Observation): Drift[] {
  return [...calls].flatMap(([call, { fields }]): Drift[] => {
    if (routeOf(document, call) !== undefined) return [];
    return [{ kind: 'route', fields: [...fields], message: `the published OpenAPI has no ${call}` }];
  });
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}|:\w+/g, '{}').replace(/\/+$/, '');
}
