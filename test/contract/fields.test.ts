import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { api, type FieldRow, findField, pathOf, readContract } from './graph.js';

const rows = readContract<FieldRow>('fields');
const documented = rows.filter((row) => row.layer === 'body' && row.exposed !== false);
const secret = rows.filter((row) => row.exposed === false);

/** The graph's types that a documented kind may have. */
const TYPES_OF_KIND: Readonly<Record<string, readonly string[]>> = {
  string: ['String', 'ID', 'SIRET', 'SIREN', 'RNA', 'INSEECode', 'PostalCode', 'ROMECode', 'RNCPCode', 'CFDCode'],
  datetime: ['DateTime'],
  number: ['Float', 'ID'],
  integer: ['Int'],
  boolean: ['Boolean'],
  uri: ['URI', 'String'],
  email: ['String', 'EmailAddress'],
  'geojson-point': ['GeoPoint'],
  'geojson-polygon': ['GeoPolygon'],
};

/**
 * The only non-null fields that come from a source: everything else is nullable, whatever the source promises
 * (architecture 4).
 */
const NON_NULL = new Set(['Mission.id', 'Organization.id']);

/** Documented as words for yes and no, which the graph always makes a Boolean. */
const YES_NO = new Set(['Mission.snu', 'Mission.deleted', 'Mission.openToMinors', 'Mission.reducedMobilityAccessible']);

describe('Every documented field is in the graph', () => {
  test.each(documented.map((row) => [`${row.resource}.${row.path}`, row] as const))('%s', (name, row) => {
    const field = findField(row);
    expect(field, `${name} is missing from api.graphql as ${pathOf(row).join('.')}`).toBeDefined();
    if (field === undefined) return;

    expect(
      isNonNullType(field.type),
      `${name} must ${NON_NULL.has(`${row.resource}.${row.graphql}`) ? '' : 'not '}be non-null`,
    ).toBe(NON_NULL.has(`${row.resource}.${row.graphql}`));
    const outer = getNullableType(field.type);
    expect(isListType(outer), `${name} must ${row.list || row.kind === 'array' ? '' : 'not '}be a list`).toBe(
      row.list || row.kind === 'array',
    );
    expect(field.description ?? '', `${name} has no description`).not.toBe('');

    const type = getNamedType(field.type);
    if (row.kind === 'object') expect(isObjectType(type)).toBe(true);
    else if (row.kind === 'array') expect(type.name).toMatch(/^(String|Float)$/);
    else if (row.kind === 'enum') {
      if (row.open === true && !isEnumType(type)) expect(type.name).toBe('String');
      else {
        expect(isEnumType(type), `${name} must be an enum`).toBe(true);
        if (isEnumType(type)) expect(type.getValues().map((value) => value.name)).toContain('OTHER');
        expect(
          findField({ ...row, graphql: `${row.graphql}Raw` }),
          `${name} has no sibling for the raw text`,
        ).toBeDefined();
      }
    } else if (YES_NO.has(name)) expect(type.name).toBe('Boolean');
    else expect(TYPES_OF_KIND[row.kind], `${name} is a ${row.kind}`).toContain(type.name);
  });

  afterAll(() => {
    const found = documented.filter((row) => findField(row) !== undefined);
    console.log(`contract: ${found.length} of ${documented.length} documented fields`);
  });
});

/** The headers in which a source reports how many calls are left; `retry-after` is in the error of a refused call. */
const quotaHeaders = rows.filter(
  ({ layer, designName, path }) => layer === 'header' && designName === 'sources (quota)' && path.startsWith('x-'),
);

describe('Every documented header of the call limit is in the graph, at each source', () => {
  const FIELD_OF: Readonly<Record<string, string>> = {
    'x-ratelimit-limit': 'limit',
    'x-ratelimit-remaining': 'remaining',
    'x-ratelimit-reset': 'resetSeconds',
  };
  const source = api.getType('Source');
  const fieldsOf = (type: unknown) => (isObjectType(type) || isInterfaceType(type) ? type.getFields() : {});
  const holders = isInterfaceType(source) ? [source, ...api.getPossibleTypes(source)] : [];

  test.each(quotaHeaders.map(({ path }) => [path]))('%s', (header) => {
    expect(holders.map(({ name }) => name).sort()).toEqual([
      'Source',
      'VolunteeringSource',
      'WasteIdentitySource',
      'WorkStudySource',
    ]);
    for (const holder of holders) {
      const quota = fieldsOf(holder)['quota'];
      const field = fieldsOf(quota && getNamedType(quota.type))[FIELD_OF[header] ?? ''];
      expect(String(field?.type), `${holder.name}.quota has no field for ${header}`).toBe('Int');
      expect(field?.description ?? '').not.toBe('');
    }
  });

  test('all three of them', () => expect(quotaHeaders).toHaveLength(3));
});

describe('What is secret stays out of the graph', () => {
  test.each(secret.map((row) => [`${row.resource}.${row.path}`, row.exposedReason, row] as const))(
    '%s: %s',
    (_name, _reason, row) => {
      const holders = Object.values(api.getTypeMap()).filter(
        (type) => isObjectType(type) && type.getFields()[row.graphql ?? ''] !== undefined,
      );
      // `clientId` and `code` are also documented names of public fields, which alone may have them.
      const lawful = documented.filter((other) => other.graphql?.split('.').at(-1) === row.graphql);
      if (lawful.length === 0) expect(holders).toEqual([]);
      expect(holders.map((type) => type.name)).not.toContain(row.resource);
      expect(holders.map((type) => type.name)).not.toContain('Viewer');
    },
  );
});
