import { afterAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import type { Shape } from '../../subgraphs/rest/shape.js';
import { Certification } from '../../subgraphs/work-study/certifications/shapes.js';
import { Commune, Departement, MissionLocale } from '../../subgraphs/work-study/geography/shapes.js';
import { JobOffer, JobRecruiter, Workplace } from '../../subgraphs/work-study/jobs/shapes.js';
import { JobOfferExport, JobOfferPublishing } from '../../subgraphs/work-study/publishing/shapes.js';
import { type FieldRow, readContract } from '../contract/graph.js';
import { certification, commune, missionLocale, offer, recruiter, storeId, workplace } from './support/records.js';

/** A complete sample of each documented resource, and the shape that reads it. `below` is its place in the sample. */
const RESOURCES: Readonly<Record<string, { of: Shape<unknown>; sample: () => object; below?: string }>> = {
  Certification: { of: Certification, sample: () => certification('46T31203', 'RNCP37098') },
  Commune: {
    of: Commune,
    sample: () =>
      commune({
        insee: '75056',
        nom: 'Paris',
        postaux: ['75001'],
        centre: [2.347, 48.8588],
        anciennes: [{ nom: 'Ancienne', codeInsee: '75999' }],
        arrondissements: [{ code: '75120', nom: 'Paris 20e Arrondissement' }],
        missionLocale: missionLocale(),
      }),
  },
  Departement: {
    of: Departement,
    sample: () => {
      const { region, academie } = commune({ insee: '1', nom: 'x', postaux: [], centre: [0, 0] });
      return { nom: 'Paris', codeInsee: '75', region, academie };
    },
  },
  MissionLocale: { of: MissionLocale, sample: () => missionLocale() },
  Workplace: { of: Workplace, sample: () => workplace() },
  Apply: { of: JobOffer, sample: () => offer({ id: storeId(1) }), below: 'apply' },
  JobRecruiter: { of: JobRecruiter, sample: () => recruiter(storeId(1)) },
  JobOffer: { of: JobOffer, sample: () => offer({ id: storeId(1) }) },
  JobOfferPublishing: {
    of: JobOfferPublishing,
    sample: () => ({
      publishing: { status: 'WILL_NOT_BE_PUBLISHED', error: { code: 'CFA', label: 'A training centre' } },
    }),
  },
  JobOfferExport: {
    of: JobOfferExport,
    sample: () => ({ url: 'https://storage.example/offers.json', lastUpdate: '2026-06-26T08:28:05.000Z' }),
  },
};

const rows = readContract<FieldRow>('fields').filter(
  (row) => row.service === 'work-study' && row.layer === 'body' && RESOURCES[row.resource] !== undefined,
);

type Plain = Record<string, unknown>;

/** The object that holds the last key of a path; lists on the way stand for their first items. */
function holderOf(root: unknown, path: readonly string[]): Plain {
  let at = root;
  for (const name of path.slice(0, -1)) {
    at = (at as Plain)[name];
    if (Array.isArray(at)) [at] = at;
  }
  return at as Plain;
}

/** The path of a row's field, in the source's names and in the graph's. */
function placesOf(row: FieldRow) {
  const below = RESOURCES[row.resource]?.below;
  const path = (name: string) => [...(below === undefined ? [] : [below]), ...name.split('.')];
  return { sent: path(row.path), shown: path(row.graphql ?? '') };
}

/** Reads the field of a row after a change to its object; returns the error that GraphQL would report, if any. */
function readAfter(row: FieldRow, change: (holder: Plain, key: string) => void): unknown {
  const resource = RESOURCES[row.resource]!;
  const { sent, shown } = placesOf(row);
  const sample = resource.sample();
  change(holderOf(sample, sent), sent.at(-1) ?? '');
  const view = resource.of.view(sample, { service: 'work-study', drift: () => {} });
  try {
    const value = holderOf(view, shown)[shown.at(-1) ?? ''];
    return Array.isArray(value) ? (value.find((item) => item instanceof Error) ?? value) : value;
  } catch (error) {
    return error;
  }
}

const WRONG: Readonly<Record<string, unknown>> = {
  datetime: 'tomorrow',
  boolean: 'perhaps',
  number: {},
  integer: 1.5,
  object: 7,
  'geojson-point': 'POINT(2 48)',
  'geojson-polygon': 7,
};

const isDrift = (value: unknown) => value instanceof CodedError && value.code === 'UPSTREAM_INVALID_RESPONSE';

describe('each documented field of work-study', () => {
  describe.each(rows.map((row) => [`${row.resource}.${row.path}`, row] as const))('%s', (_name, row) => {
    it('is read from the key that the source writes', () => {
      const value = readAfter(row, () => {});
      expect(value).not.toBeInstanceOf(Error);
      const holder = holderOf(RESOURCES[row.resource]!.sample(), placesOf(row).sent);
      // Scalars come through unchanged; enums, objects and identifiers are converted.
      if (['string', 'datetime', 'boolean', 'integer', 'uri', 'email'].includes(row.kind) && !row.list) {
        expect(value).toBe(holder[placesOf(row).sent.at(-1) ?? '']);
      }
    });

    it('is null, without an error, when the source sends null', () => {
      expect(readAfter(row, (holder, key) => Object.assign(holder, { [key]: null }))).toBeNull();
    });

    const promised = row.presence === 'required' && row.path !== 'is_delegated';
    it(`is ${promised ? 'an error of its own' : 'null'} when the source leaves it out`, () => {
      const value = readAfter(row, (holder, key) => Reflect.deleteProperty(holder, key));
      if (promised) expect(value).toSatisfy(isDrift);
      else expect(value).toBeNull();
    });

    it('is an error of its own when the source sends another type', () => {
      const wrong = row.list ? { not: 'a list' } : (WRONG[row.kind] ?? 7.5);
      // The graph makes a mission locale's number an identifier, for which any number or text is valid.
      const value = readAfter(row, (holder, key) => Object.assign(holder, { [key]: key === 'id' ? {} : wrong }));
      expect(value).toSatisfy(isDrift);
    });

    if (row.list) {
      it('keeps its other items when one is of another type', () => {
        const value = readAfter(row, (holder, key) => {
          const list = holder[key] as unknown[];
          list.push(row.kind === 'object' ? 7 : { not: 'text' });
        });
        expect(value).toSatisfy(isDrift);
      });
    }
  });

  afterAll(() =>
    console.log(`work-study: ${rows.length} documented fields read, and each of them missing, null and wrong`),
  );
});

describe('A number that its type cannot hold, or only just', () => {
  const drifts: string[] = [];
  const sender = {
    service: 'work-study',
    drift: (place: string, kind: string) => drifts.push(`${place} ${kind}`),
  } as const;

  it('is passed on as an identifier with a fraction, where any number is documented', () => {
    drifts.length = 0;
    expect(MissionLocale.view({ ...missionLocale(), id: 12.5 }, sender).id).toBe('12.5');
    expect(drifts).toEqual([]);
    expect(() => MissionLocale.view({ ...missionLocale(), id: 2 ** 53 }, sender).id).toThrow(CodedError);
  });

  it('is an error of its field, and drift, as an integer of more than 32 bits', () => {
    drifts.length = 0;
    const { contract } = JobOffer.view({ ...offer({ id: storeId(1) }), contract: { duration: 2 ** 31 } }, sender);
    expect(() => contract?.duration).toThrow('an integer of 32 bits');
    expect(drifts).toEqual(['JobOffer.contract.duration form']);
  });
});
