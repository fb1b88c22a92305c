import { describe, expect, test } from 'vitest';
import type { Json } from '../../../sandbox/world/types.js';
import { fresh, type Harness } from '../support/harness.js';
import { formation, organisme } from '../support/records.js';
import { tinyWorld } from '../support/tiny-world.js';

/** A training centre with a brand and a legal name. */
function centre(uai: string, enseigne: string | null, raisonSociale: string): Json {
  const made = organisme(uai, '19350030300014') as Record<string, Json>;
  return {
    ...made,
    etablissement: { ...made['etablissement'], enseigne },
    unite_legale: { ...made['unite_legale'], raison_sociale: raisonSociale },
  };
}

const LYCEE = centre('0352660B', null, 'LYCÉE DES MÉTIERS SAINT-EXUPÉRY');
const CFA = centre('0492432X', 'Les Compagnons', 'ASSOCIATION OUVRIERE');

/** A course at so many degrees east of Paris. */
function course(key: string, organization: Json | null, east: number, rncp = 'RNCP37098'): Json {
  const made = formation(key, { position: [2.347 + east, 48.8588], rncp });
  return { ...made, formateur: { organisme: organization, connu: organization !== null } };
}

const courses = [
  course('a#L01', CFA, 0.03),
  course('b#L01', LYCEE, 0.01),
  course('c#L01', CFA, 0.02, 'RNCP500'),
  course('d#L01', LYCEE, 0.04, 'RNCP500'),
];

const FIELDS = `complete totalCount pageInfo { hasNextPage endCursor }
  nodes { name organisme { identifiant { uai } } formations { identifiant { cleMinistereEducatif } } }`;
const around = async ({ send }: Harness, args: string) =>
  send(`{ commune(insee: "75056") { trainingOrganizations(${args}) { ${FIELDS} } } }`);
const search = (query: string) =>
  `GET /api/formation/v1/search?latitude=48.8588&longitude=2.347&${query}&page_size=1000&page_index=0 operator`;
const onCourses = (formations: readonly Json[], run: (harness: Harness) => Promise<void>) =>
  fresh(run, tinyWorld({ formations }));

describe('Commune.trainingOrganizations', () => {
  test('are those that give a course around, by their nearest one, from one call', () =>
    onCourses(courses, async (harness) => {
      const { data, errors } = await around(harness, 'radius: 10');
      expect(errors).toEqual([]);
      const key = (name: string) => ({ identifiant: { cleMinistereEducatif: `${name}#L01` } });
      expect(data.commune.trainingOrganizations).toEqual({
        complete: true,
        totalCount: 2,
        pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
        nodes: [
          {
            name: 'LYCÉE DES MÉTIERS SAINT-EXUPÉRY',
            organisme: { identifiant: { uai: '0352660B' } },
            formations: [key('b'), key('d')],
          },
          { name: 'Les Compagnons', organisme: { identifiant: { uai: '0492432X' } }, formations: [key('c'), key('a')] },
        ],
      });
      expect(harness.service.callLines()).toContain(search('radius=10'));
    }));

  test.each([
    ['name: "lycee st exup"', ['LYCÉE DES MÉTIERS SAINT-EXUPÉRY']],
    ['name: "OUVRIÈRE compagnon"', ['Les Compagnons']],
    ['name: "pagnons"', []],
    ['name: "lycee", romes: ["M1805"], rncp: "500", targetDiplomaLevel: LEVEL_4', ['LYCÉE DES MÉTIERS SAINT-EXUPÉRY']],
  ])('are found by name and by what they teach: %s', (args, names) =>
    onCourses(courses, async (harness) => {
      const { data, errors } = await around(harness, args);
      expect(errors).toEqual([]);
      expect(data.commune.trainingOrganizations).toMatchObject({ complete: true, totalCount: names.length });
      expect(data.commune.trainingOrganizations.nodes.map(({ name }: { name: string }) => name)).toEqual(names);
    }),
  );

  test('are walked page by page with one call in all', () =>
    onCourses(courses, async ({ send, service }) => {
      const page = (after: string | null) =>
        send(
          `query ($after: String) { commune(insee: "75056") { trainingOrganizations(first: 1, after: $after) { ${FIELDS} } } }`,
          { variables: { after } },
        ).then(({ data }) => data.commune.trainingOrganizations);
      const first = await page(null);
      const second = await page(first.pageInfo.endCursor);
      expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
      expect([...first.nodes, ...second.nodes].map(({ name }) => name)).toEqual([
        'LYCÉE DES MÉTIERS SAINT-EXUPÉRY',
        'Les Compagnons',
      ]);
      expect(service.callLines().filter((line) => line.includes('formation'))).toHaveLength(1);
    }));

  test('are not complete where a course does not name its centre, or there are more courses than are read', async () => {
    await onCourses([...courses, course('e#L01', null, 0.05)], async (harness) => {
      const { data } = await around(harness, 'first: 1');
      expect(data.commune.trainingOrganizations).toMatchObject({ complete: false, totalCount: null });
    });
    const many = Array.from({ length: 1001 }, (_, index) => course(`k${index}#L01`, CFA, 0.01));
    await onCourses(many, async (harness) => {
      const { data } = await around(harness, 'first: 1');
      expect(data.commune.trainingOrganizations).toMatchObject({ complete: false, totalCount: null });
    });
  });

  test('refuses what cannot be asked without a call', () =>
    onCourses([], async (harness) => {
      for (const args of ['name: " "', 'radius: 201', 'first: 1001', 'after: "x"', 'rncp: "1"']) {
        const { errors } = await around(harness, args);
        expect(errors, args).toEqual(['BAD_USER_INPUT commune.trainingOrganizations']);
      }
      expect(harness.service.callLines().filter((line) => line.includes('formation'))).toEqual([]);
    }));
});
