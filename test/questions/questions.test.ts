import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readFragment, writeFragment } from '../../analyst/questions/address.js';
import { compose, type Known } from '../../analyst/questions/compose.js';
import { daysOf, instantsOf } from '../../analyst/questions/days.js';
import {
  CRITERIA,
  type Criterion,
  criteriaOf,
  EXAMPLES,
  FORMS,
  type Question,
  SUBJECTS,
  type Subject,
} from '../../analyst/questions/question.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

const KNOWN: Known = {
  today: '2026-11-29',
  departementsOf: () => ['22', '29', '35', '56'],
  communesOf: () => ['35238', '35001'],
  centreOf: () => ({ latitude: 48.1, longitude: -1.7 }),
  postalCodesOf: () => ['35000', '29200'],
};

const PLACES = ['commune:35238~30', 'commune:35238', 'departement:35', 'region:53', 'epci:243500139', 'postal:35000'];

/** A value of a criterion. */
function sampleOf({ name, kind, values }: Criterion): string {
  if (kind === 'values') return values?.[0]?.code ?? '';
  const usual = { place: 'departement:35', period: 'next-month', partner: '-Hellowork', occupation: 'D1102' };
  const own: Record<string, string> = { siret: '12345678900011', rna: 'W351234567', rncp: 'RNCP39908', first: '5' };
  return own[name] ?? (usual as Record<string, string>)[kind] ?? 'mot';
}

/** Questions about a subject: each form with each criterion, and each key, in each kind of place. */
function questionsAbout({ name: subject, keys, ...of }: Subject): Question[] {
  const placed = [{}, ...PLACES.map((place) => ({ place: [place] }))];
  const criteria = criteriaOf({ name: subject, keys, ...of }).filter(({ name }) => name !== 'place');
  const chosen = [{}, ...criteria.map((one) => ({ [one.name]: [sampleOf(one)] }))];
  const forms = FORMS.flatMap((form) => chosen.map((own) => ({ form, by: [] as string[], own })));
  const counts = keys.map(({ name }) => ({ form: 'count' as const, by: [name], own: {} }));
  return [...forms, ...counts].flatMap(({ form, by, own }) =>
    placed.map((at): Question => ({ subject, form, by, criteria: { ...at, ...own } })),
  );
}

describe('A question as GraphQL', () => {
  test.each([...SUBJECTS, ...EXAMPLES].map((subject) => [subject.name, subject] as const))(
    'about %s fits the graph with every criterion, or says which does not fit',
    (_name, subject) => {
      const texts = new Set<string>();
      for (const question of questionsAbout(subject)) {
        const { composed, problems } = compose(question, KNOWN);
        if (composed === null) {
          expect(problems.length, JSON.stringify(question)).toBeGreaterThan(0);
          continue;
        }
        texts.add(composed.query);
        // Nothing is dropped: each value is in the variables or in a condition on the rows.
        const used = JSON.stringify([composed.variables, composed.where]);
        for (const [name, values] of Object.entries(question.criteria))
          if (name === 'rncp') expect(used).toContain(values[0]?.slice(4));
      }
      expect(texts.size).toBeGreaterThan(0);
      for (const text of texts) expect(validate(schema, parse(text)), text).toEqual([]);
    },
  );

  test('has every count that the graph offers for its subject among its keys', () => {
    for (const { by, keys, ways } of SUBJECTS) {
      if (by === undefined || !ways.some(({ counts }) => counts !== undefined)) continue;
      const type = schema.getType(by);
      const all = type && 'getValues' in type ? type.getValues().map(({ name }) => name) : [];
      for (const { count } of keys) if (count !== undefined) expect(all).toContain(count);
    }
  });

  test('takes only criteria that the page offers', () => {
    const taken = SUBJECTS.flatMap(({ ways }) => ways.flatMap(({ takes }) => Object.keys(takes)));
    expect([...new Set(taken)].filter((name) => !CRITERIA.some((one) => one.name === name))).toEqual([]);
  });
});

describe('A period', () => {
  test.each([
    ['next-month', '2026-12-01', '2026-12-31'],
    ['last-30-days', '2026-10-30', '2026-11-29'],
    ['2026-12-01..', '2026-12-01', null],
    ['2026-02', '2026-02-01', '2026-02-28'],
  ])('%s is of days, both included', (period, from, to) => {
    expect(daysOf(period, '2026-11-29')).toEqual({ from, to });
  });

  test('is sent as the instants around it, of winter and of summer in Paris', () => {
    expect(instantsOf({ from: '2026-12-01', to: '2026-12-31' })).toEqual({
      after: '2026-11-30T22:59:59.999Z',
      before: '2026-12-31T23:00:00.000Z',
    });
    expect(instantsOf({ from: '2026-07-01', to: null })).toEqual({ after: '2026-06-30T21:59:59.999Z', before: null });
  });
});

describe('The address of a question', () => {
  test('comes back as it was, with the view', () => {
    for (const subject of SUBJECTS) {
      for (const question of questionsAbout(subject).slice(0, 40)) {
        const linked = readFragment(`#${writeFragment(question, new URLSearchParams('view=Map&order=-title'))}`);
        expect(linked?.question).toEqual(question);
        expect([...(linked?.view ?? [])]).toEqual([
          ['view', 'Map'],
          ['order', '-title'],
        ]);
      }
    }
  });

  test('says of a list of more than fifty values that it is not in it', () => {
    const siret = Array.from({ length: 51 }, (_, at) => `123456789000${at + 10}`);
    const question: Question = { subject: 'offers', form: 'list', by: [], criteria: { siret } };
    const linked = readFragment(`#${writeFragment(question)}`);
    expect([linked?.question.criteria, linked?.without]).toEqual([{}, ['siret']]);
  });
});
