import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../kernel/text.js';
import { type OpenApi, routeOf, type Schema } from './document.js';
import { createObservation, type Observation } from './observe.js';

/**
 * The published schemas, compared with the code by what the code makes of them: a local server sends responses that are
 * valid by the document, in which each property is once as described, once null, once absent and once each of its words,
 * wherever the schema allows that. What the code then reports as drift is where the two differ.
 */

/** Items of one list; the code requests no shorter pages. */
const MOST_ITEMS = 10;
/** Schemas that contain themselves end here. */
const MAX_DEPTH = 12;

/** Values that a schema allows: the first is complete, each other one differs from it in one property. */
function valuesOf(schema: Schema, { resolve }: OpenApi): readonly unknown[] {
  return values(schema, 0);

  function values(given: Schema, depth: number): unknown[] {
    const { nullable, const: constant, enum: words, ...rest } = merged(resolve(given));
    const none = nullable === true ? [null] : [];
    if (depth > MAX_DEPTH) return [null];
    if (constant !== undefined) return [constant, ...none];
    if (Array.isArray(words)) return [...words, ...none];
    const choices = [rest['anyOf'], rest['oneOf']]
      .flatMap((some) => (Array.isArray(some) ? some : []))
      .filter(isRecord);
    if (choices.length > 0) return withNullLast([...choices.flatMap((choice) => values(choice, depth)), ...none]);
    const types = [rest['type']].flat();
    const found = types.flatMap((type) => (type === 'null' ? [null] : ofType(type, rest, depth)));
    return withNullLast([...found, ...none]);
  }

  function ofType(type: unknown, schema: Schema, depth: number): unknown[] {
    const { prefixItems: tuple } = schema;
    if (Array.isArray(tuple)) return [tuple.map((item) => (isRecord(item) ? values(item, depth + 1)[0] : null))];
    if (type === 'array') return lists(isRecord(schema['items']) ? values(schema['items'], depth + 1) : []);
    if (type === 'object' || isRecord(schema['properties'])) return objects(schema, depth);
    return [leaf(type, schema)];
  }

  /** One complete item; then all the others, several to a list; then none. */
  function lists([first, ...others]: readonly unknown[]): unknown[] {
    const pages = Array.from({ length: Math.ceil(others.length / MOST_ITEMS) }, (_, page) =>
      others.slice(page * MOST_ITEMS, (page + 1) * MOST_ITEMS),
    );
    return [first === undefined ? [] : [first], ...pages, []];
  }

  function objects({ properties, required }: Schema, depth: number): unknown[] {
    const fields = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) => {
      const [first, ...others] = isRecord(schema) ? values(schema, depth + 1) : [];
      return first === undefined ? [] : [{ name, first, others }];
    });
    const complete = Object.fromEntries(fields.map(({ name, first }) => [name, first]));
    // A schema that requires nothing does not say what may be left out.
    const isOptional = (name: string) => Array.isArray(required) && required.length > 0 && !required.includes(name);
    const changed = fields.flatMap(({ name, others }) => [
      ...others.map((value) => ({ ...complete, [name]: value })),
      ...(isOptional(name) ? [{ ...complete, [name]: undefined }] : []),
    ]);
    return [complete, ...changed];
  }

  /** The parts of `allOf` in one schema. */
  function merged(schema: Schema): Schema {
    if (!Array.isArray(schema['allOf'])) return schema;
    const parts = schema['allOf'].filter(isRecord).map((part) => merged(resolve(part)));
    const all = [...parts, schema];
    return {
      ...Object.assign({}, ...all),
      properties: Object.assign({}, ...all.map(({ properties }) => properties)),
      required: all.flatMap(({ required }) => required ?? []),
    };
  }
}

/** A nullable value is complete only if it is not null. */
function withNullLast(values: readonly unknown[]): unknown[] {
  return [...values.filter((value) => value !== null), ...(values.includes(null) ? [null] : [])];
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T08:00:00.000Z',
  date: '2026-01-31',
  uri: 'https://example.org/',
  email: 'somebody@example.org',
};

function leaf(type: unknown, { example, examples, default: usual, format, minimum }: Schema): unknown {
  const [known = example ?? usual] = Array.isArray(examples) ? examples : [];
  const kind = type === 'integer' ? 'number' : type;
  if (typeof known === kind) return known;
  if (type === 'boolean') return true;
  if (kind === 'number') return typeof minimum === 'number' ? minimum : 1;
  return FORMATS[String(format)] ?? 'text';
}

/** Observes what the code makes of the published schemas. `observeAt` observes a service at an address. */
export async function observePublished(
  document: OpenApi,
  calls: Observation['calls'],
  observeAt: (url: string, into: Observation) => Promise<unknown>,
): Promise<Observation> {
  const bodies = new Map<string, readonly unknown[]>();
  for (const call of calls.keys()) {
    const route = routeOf(document, call);
    if (route === undefined || route.schema === null) continue;
    // An empty list of reference data is refused on purpose.
    bodies.set(
      call,
      valuesOf(route.schema, document).filter((body) => !Array.isArray(body) || body.length > 0),
    );
  }
  let round = 0;
  const server = createServer(({ method, url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const [, sent = []] = [...bodies].find(([call]) => `${method} ${pathname}`.endsWith(call)) ?? [];
    // A route that is not documented, or has no schema, gives nothing to compare with.
    response.statusCode = sent.length === 0 ? 404 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(sent[round % sent.length] ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rounds = Math.max(1, ...[...bodies.values()].map(({ length }) => length));
  const seen = createObservation();
  for (; round < rounds; round++) {
    await observeAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  }
  server.close();
  return seen;
}
