import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../kernel/text.js';
import type { Shape } from '../../subgraphs/rest/shape.js';
import { missionShape } from '../../subgraphs/volunteering/missions/shapes.js';
import { organizationShape } from '../../subgraphs/volunteering/organizations/shapes.js';
import { Certification } from '../../subgraphs/work-study/certifications/shapes.js';
import { Commune, Departement, MissionLocale } from '../../subgraphs/work-study/geography/shapes.js';
import { JobOffer, JobSearch } from '../../subgraphs/work-study/jobs/shapes.js';
import { Organisme } from '../../subgraphs/work-study/organismes/shapes.js';
import { Formation } from '../../subgraphs/work-study/training/shapes.js';
import { runs } from '../runs.js';
import { type OpenApi, readDocument, routeOf, type Schema } from './openapi.js';

/** What the services publish about themselves lies beside the repository, or where this variable says. */
const FOLDER =
  process.env['TEST_OPENAPI'] ?? fileURLToPath(new URL('../../../shared/upstreams/openapi/', import.meta.url));

/** What each route sends, and the steps to it in a response; `[]` is every item. */
const SENT: readonly [file: string, call: string, steps: string, of: Shape<object>][] = [
  ['volunteering.yaml', 'GET /v0/mission', 'data []', missionShape],
  ['volunteering.yaml', 'GET /v0/mission/search', 'hits []', missionShape],
  ['volunteering.yaml', 'GET /v0/mission/{id}', 'data', missionShape],
  ['volunteering.yaml', 'GET /v0/organization', 'data []', organizationShape],
  ['work-study.json', 'GET /geographie/v1/commune/search', '[]', Commune],
  ['work-study.json', 'GET /geographie/v1/departement', '[]', Departement],
  ['work-study.json', 'GET /geographie/v1/mission-locale', '[]', MissionLocale],
  ['work-study.json', 'GET /certification/v1', '[]', Certification],
  ['work-study.json', 'GET /job/v1/search', '', JobSearch],
  ['work-study.json', 'GET /job/v1/offer/{id}', '', JobOffer],
  ['work-study.json', 'GET /formation/v1/search', 'data []', Formation],
  ['work-study.json', 'GET /organisme/v1/export', 'data []', Organisme],
];

/** Places that no random value reaches unharmed, because the document allows more than is ever sent. */
const LOOSER = new Set([
  // Words of moderators (volunteering 7.4).
  'Mission.statusCode word',
  // The same as `_id` and `soft_skills`.
  'Mission…id is not read',
  'Mission…softSkills is not read',
  // In the document, and not in the graph.
  ...['image', 'activities', 'compensationAmountMax', 'organizationSiret'].map((name) => `Mission…${name} is not read`),
]);

describe.skipIf(!existsSync(FOLDER))('Random responses that are valid by the published document', () => {
  it.each(SENT)('%s: %s are read without an error or a loss', async (file, call, steps, of) => {
    const document = documentOf(file);
    const schema = routeOf(document, call)?.schema;
    if (schema === null || schema === undefined) throw new Error(`${call} has no schema.`);
    const bodies = fc.sample(arbitraryOf(schema, document), { numRuns: runs(50), seed: 43 });
    const found = new Set<string>();
    let read = 0;
    for (const body of bodies) {
      for (const item of itemsAt(JSON.parse(JSON.stringify(body)), steps.split(' '))) {
        readAll(of, item, found);
        read += 1;
      }
    }
    expect(read).toBeGreaterThanOrEqual(bodies.length);
    expect([...found].filter((place) => !LOOSER.has(place))).toEqual([]);
  });
});

function documentOf(file: string): OpenApi {
  const document = readDocument(readFileSync(join(FOLDER, file), 'utf8'));
  if (document === null) throw new Error(`${file} cannot be read.`);
  return document;
}

function itemsAt(value: unknown, [step = '', ...steps]: readonly string[]): unknown[] {
  if (step === '') return [value];
  if (step === '[]') return Array.isArray(value) ? value.flatMap((item) => itemsAt(item, steps)) : [];
  return isRecord(value) && value[step] !== undefined ? itemsAt(value[step], steps) : [];
}

/** Reads every field of a value, and notes what drifted, could not be read, or is null although it was sent. */
function readAll(of: Shape<object>, value: unknown, found: Set<string>): void {
  const drift = (place: string, kind: string) => {
    // Random text is no code.
    if (kind !== 'code') found.add(`${place} ${kind}`);
  };
  let sent: unknown;
  const reads = new Map<object, Set<string>>();
  const watched = watch(value, (owner, name) => {
    sent = owner[name as keyof typeof owner];
    reads.set(owner, (reads.get(owner) ?? new Set()).add(name));
  });
  visit(of.view(watched, { service: 'volunteering', drift }));
  for (const [owner, names] of reads) {
    if (Array.isArray(owner)) continue;
    for (const name of Object.keys(owner)) if (!names.has(name)) found.add(`${of.name}…${name} is not read`);
  }

  function visit(view: unknown): void {
    if (view instanceof Error) found.add(view.message);
    else if (Array.isArray(view)) for (const item of view) visit(item);
    else if (typeof view === 'object' && view !== null) {
      for (const field in view) {
        if (field === 'raw' || field === 'origin') continue;
        try {
          sent = null;
          const seen: unknown = view[field as keyof typeof view];
          // A raw word is shown only beside one that is not known.
          if (seen === null && (sent ?? null) !== null && !field.endsWith('Raw'))
            found.add(`${of.name}…${field} is lost`);
          visit(seen);
        } catch (error) {
          found.add((error as Error).message);
        }
      }
    }
  }
}

/** The same value, which tells each part of it that is read. */
function watch<T>(value: T, onRead: (owner: object, name: string) => void): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const part = Reflect.get(target, name, receiver);
      if (typeof name === 'string') onRead(target, name);
      return typeof part === 'function' ? part : watch(part, onRead);
    },
  });
}

const MOMENTS = { noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') } as const;

/** Random values that a schema allows; integers have 32 bits, as the graph's. */
function arbitraryOf(given: Schema, document: OpenApi, depth = 0): fc.Arbitrary<unknown> {
  const schema = document.resolve(given);
  const below = (one: unknown) => arbitraryOf(isRecord(one) ? one : {}, document, depth + 1);
  const { nullable, const: constant, enum: words, allOf, anyOf, oneOf, type } = schema;
  const choices = [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some : []));
  const values = (): fc.Arbitrary<unknown> => {
    if (constant !== undefined) return fc.constant(constant);
    if (Array.isArray(words)) return fc.constantFrom(...words);
    if (Array.isArray(allOf)) {
      const parts = [...allOf, { ...schema, allOf: undefined }].map((part) => below({ type: 'object', ...part }));
      return fc.tuple(...parts).map((all) => Object.assign({}, ...all));
    }
    if (choices.length > 0) return fc.oneof(...choices.map(below));
    return fc.oneof(...[type].flat().map((one) => ofType(one, schema, below)));
  };
  return nullable === true ? fc.option(values(), { freq: 4 }) : values();
}

function ofType(type: unknown, schema: Schema, below: (schema: unknown) => fc.Arbitrary<unknown>) {
  const { items, prefixItems, properties, required, format } = schema;
  switch (type) {
    case 'array':
      if (Array.isArray(prefixItems)) return fc.tuple(...prefixItems.map(below));
      return fc.array(below(items), { maxLength: 3 });
    case 'object': {
      const names = Object.keys(isRecord(properties) ? properties : {});
      const fields = Object.fromEntries(names.map((name) => [name, below((properties as Schema)[name])]));
      // A schema that requires nothing does not say what may be left out.
      const always =
        Array.isArray(required) && required.length > 0 ? names.filter((name) => required.includes(name)) : names;
      return fc.record(fields, { requiredKeys: always });
    }
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer();
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -180, max: 180 }));
    default:
      if (format === 'date-time' || format === 'date') return fc.date(MOMENTS).map((date) => date.toISOString());
      return fc.string();
  }
}
