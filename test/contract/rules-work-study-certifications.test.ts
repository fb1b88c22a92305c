import { describe, expect, test } from 'vitest';
import { sharedWorld } from '../../sandbox/world/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { certification } from '../work-study/support/records.js';
import { certificationsOfRules } from './support/certifications-of-rules.js';
import { documentedRows, selectionOf, setAt, valuesAt } from './support/documented.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** Certifications of the work-study service (work-study 12.2.1); its records are the same in both eras. */

const generated = sharedWorld({ scale: 0.1 });

const NINE = [
  'identifiant',
  'intitule',
  'base_legale',
  'blocs_competences',
  'convention_collectives',
  'domaines',
  'periode_validite',
  'type',
  'continuite',
];
const incomplete = NINE.map((_, index) => certification(`4603320${index}`, 'RNCP36100'));

const rules = stackOfRules({
  sandbox: {
    era: 'seed',
    world: {
      ...generated,
      certifications: [...generated.certifications, ...Object.values(certificationsOfRules), ...incomplete],
    },
  },
});

const EVERYTHING = selectionOf('Certification');

/** The one certification of a pair of codes, with every documented field. */
async function one(cfd: string | null, rncp: string | null): Promise<Json> {
  const { certifications } = await rules.read(
    `query($cfd: CFDCode, $rncp: RNCPCode) { certifications(cfd: $cfd, rncp: $rncp) { nodes { ${EVERYTHING} } } }`,
    { variables: { cfd, rncp } },
  );
  expect(certifications.nodes).toHaveLength(1);
  return certifications.nodes[0];
}

describe('identifiers', () => {
  test('WS-6 certifications are found by diploma code and by register record', async () => {
    const { byCfd, byRncp } = await rules.read(
      `{ byCfd: certifications(cfd: "50033310") { nodes { identifiant { rncp } } }
         byRncp: certifications(rncp: "RNCP36006") { nodes { identifiant { cfd } } } }`,
    );
    expect([byCfd.nodes, byRncp.nodes]).toEqual([
      [{ identifiant: { rncp: 'RNCP36006' } }],
      [{ identifiant: { cfd: '50033310' } }],
    ]);
    expect(rules.stack.calls()).toEqual([
      'work-study GET /api/certification/v1?identifiant.cfd=50033310 operator',
      'work-study GET /api/certification/v1?identifiant.rncp=RNCP36006 operator',
    ]);
  });

  test('WS-19 all nine top-level keys are required: a dropped one is an error of its own, the rest stands', async () => {
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/certification/',
      times: 1,
      change: (body) => {
        for (const [index, key] of NINE.entries()) setAt((body as Json[])[index], key, undefined);
      },
    });
    const names = ['identifiant', 'intitule', 'baseLegale', 'blocsCompetences', 'conventionCollectives'];
    names.push('domaines', 'periodeValidite', 'type', 'continuite');
    const { data, errors } = await rules.send(
      `{ certifications(rncp: "RNCP36100") { nodes { ${names.map((name) => `${name} { __typename }`).join(' ')} } } }`,
    );
    expect(errors.map(({ path, extensions }) => [extensions.code, path?.slice(-2)])).toEqual(
      names.map((name, index) => ['UPSTREAM_INVALID_RESPONSE', [index, name]]),
    );
    for (const [index, node] of data.certifications.nodes.entries()) {
      expect(Object.keys(node).filter((name) => node[name] === null)).toEqual([names[index]]);
    }
  });

  test('WS-20, WS-21 cfd is null only when no diploma matches the record, and with it all that derives from it', async () => {
    const { certifications } = await rules.read(
      `{ certifications(cfd: null, first: 1000) { nodes { ${EVERYTHING} } } }`,
    );
    expect(certifications.nodes.length).toBeGreaterThan(0);
    const derived = documentedRows('Certification').filter(({ nullWith }) => nullWith === 'identifiant.cfd');
    expect(derived.length).toBeGreaterThanOrEqual(8);
    for (const node of certifications.nodes) {
      expect(node.identifiant).toMatchObject({ cfd: null, rncp: expect.stringMatching(/^RNCP\d{3,5}$/) });
      for (const { graphql, path } of derived) expect(valuesAt(node, graphql ?? ''), path).toEqual([null]);
    }
  });

  test('WS-22, WS-23 rncp is null only when no record matches the diploma, and with it all that derives from it', async () => {
    const { certifications } = await rules.read(
      `{ certifications(rncp: null, first: 1000) { nodes { ${EVERYTHING} } } }`,
    );
    expect(certifications.nodes.length).toBeGreaterThan(0);
    const derived = documentedRows('Certification').filter(({ nullWith }) => nullWith === 'identifiant.rncp');
    expect(derived.length).toBeGreaterThanOrEqual(12);
    for (const node of certifications.nodes) {
      expect(node.identifiant).toMatchObject({
        rncp: null,
        cfd: expect.stringMatching(/^[A-Z0-9]{3}\d{3}[A-Z0-9]{2}$/),
      });
      for (const { graphql, path } of derived) expect(valuesAt(node, graphql ?? ''), path).toEqual([null]);
    }
  });

  test.each(['5003331', '500333100', '5003A310', '5003331a', ' 50033310', ''])(
    'WS-24 a CFD is three capitals or digits, three digits, two capitals or digits: "%s" is refused before a call',
    async (cfd) => {
      expect(
        await rules.refusals('query ($cfd: CFDCode) { certifications(cfd: $cfd) { totalCount } }', {
          variables: { cfd },
        }),
      ).toEqual(['BAD_USER_INPUT certifications']);
      expect(rules.stack.calls()).toEqual([]);
    },
  );

  test.each(['RNCP12', 'RNCP123456', 'rncp1234', '123456', 'RNCP 1234', ''])(
    'WS-25 an RNCP number is RNCP and three to five digits: "%s" is refused before a call',
    async (rncp) => {
      expect(
        await rules.refusals('query ($rncp: RNCPCode) { certifications(rncp: $rncp) { totalCount } }', {
          variables: { rncp },
        }),
      ).toEqual(['BAD_USER_INPUT certifications']);
      expect(rules.stack.calls()).toEqual([]);
    },
  );

  test('WS-24, WS-25 codes of the right form are requested', async () => {
    const found = await rules.read(
      `{ a: certifications(cfd: "01X000Z9") { totalCount } b: certifications(rncp: "RNCP123") { totalCount }
         c: certifications(rncp: "RNCP12345") { totalCount } }`,
    );
    expect(found).toEqual({ a: { totalCount: 0 }, b: { totalCount: 0 }, c: { totalCount: 0 } });
    expect(rules.stack.calls()).toHaveLength(3);
  });

  test('WS-26 rncp_anterieur_2019 is true below record 34000, false from there, null without a record', async () => {
    const { old, reformed, none } = await rules.read(
      `{ old: certifications(rncp: "RNCP33999") { nodes { identifiant { rncpAnterieur2019 } } }
         reformed: certifications(rncp: "RNCP34000") { nodes { identifiant { rncpAnterieur2019 } } }
         none: certifications(rncp: null, first: 1) { nodes { identifiant { rncpAnterieur2019 } } } }`,
    );
    expect([old, reformed, none].map(({ nodes }) => nodes.at(-1).identifiant.rncpAnterieur2019)).toEqual([
      true,
      false,
      null,
    ]);
  });

  test('WS-27, WS-34 a record from before the reform is answered with what it has', async () => {
    const node = await one('50033304', 'RNCP501');
    expect(node).toMatchObject({
      blocsCompetences: { rncp: [{ code: '1', intitule: null }] },
      domaines: { formacodes: { rncp: [] }, nsf: { rncp: [{ code: '31', intitule: null }] } },
      intitule: { niveau: { rncp: { europeen: null } } },
    });
  });
});

describe('levels, domains and blocks', () => {
  test('WS-28 of two levels that differ, the one of the register is the European level of both', async () => {
    const { cfd, rncp } = ((await one('40033305', 'RNCP36001'))['intitule'] as { niveau: { cfd: Json; rncp: Json } })
      .niveau;
    expect([cfd['interministeriel'], cfd['europeen'], rncp['europeen']]).toEqual(['4', 'LEVEL_5', 'LEVEL_5']);
  });

  test('WS-29, WS-30, WS-34, WS-35, WS-37 every certification of the sandbox keeps what its codes and dates say', async () => {
    const codes = new Set(
      generated.certifications.flatMap((row) => valuesAt(row, 'identifiant.cfd').filter((cfd) => cfd !== null)),
    );
    const nodes: Json[] = [];
    for (const cfd of [...codes].filter((_, at) => at % 4 === 0)) {
      // With the code in a variable, the operation is planned once.
      const { certifications } = await rules.read(
        `query($cfd: CFDCode) { certifications(cfd: $cfd) { nodes { ${EVERYTHING} } } }`,
        { variables: { cfd } },
      );
      nodes.push(...certifications.nodes);
    }
    expect(nodes.length).toBeGreaterThanOrEqual(codes.size / 4);
    for (const node of nodes) {
      const [cfd] = valuesAt(node, 'identifiant.cfd') as [string];
      expect(valuesAt(node, 'intitule.niveau.cfd.formationDiplome')).toEqual([cfd.slice(0, 3)]);
      if (cfd !== '01321401') expect(valuesAt(node, 'intitule.niveau.cfd.interministeriel')).toEqual([cfd.slice(0, 1)]);
      for (const code of valuesAt(node, 'blocsCompetences.rncp.code'))
        expect(code).toMatch(/^(RNCP\d{3,5}BC)?\d{1,2}$/);
      for (const code of valuesAt(node, 'domaines.nsf.cfd.code')) expect(code).toMatch(/^\d+$/);
      for (const code of valuesAt(node, 'domaines.nsf.rncp.code')) expect(code).toMatch(/^\d{2,3}[a-z]?$/);
      expectOverlap(node);
    }
  });

  test('WS-31 a level that nobody knows is OTHER with its text, not an error', async () => {
    const { nodes } = (
      await rules.read(
        '{ certifications(rncp: "RNCP36002") { nodes { intitule { niveau { rncp { europeen europeenRaw } } } } } }',
      )
    ).certifications;
    expect(nodes[0].intitule.niveau.rncp).toEqual({ europeen: 'OTHER', europeenRaw: '9' });
  });

  test('WS-36 a bare letter is a ROME code of a certification', async () => {
    expect(valuesAt(await one('50033304', 'RNCP501'), 'domaines.rome.rncp')).toEqual([
      [{ code: 'A', intitule: 'Agriculture' }],
    ]);
  });
});

describe('periods', () => {
  test('WS-38 a missing debut is null without an error; where both dates are there it is the later', async () => {
    const { periodeValidite } = (await one('50033308', 'RNCP36004')) as {
      periodeValidite: { debut: string; cfd: Json; rncp: Json };
    };
    const { debut, cfd, rncp } = periodeValidite;
    expect(debut).toBe(rncp['activation']);
    expect(Date.parse(debut)).toBeGreaterThan(Date.parse(String(cfd['ouverture'])));
    expect(valuesAt(await one('50033303', 'RNCP34000'), 'periodeValidite.debut')).toEqual([null]);
  });

  test('WS-39 fin is the earlier of the closing and the end of registration', async () => {
    const { periodeValidite } = (await one('50033308', 'RNCP36004')) as {
      periodeValidite: { fin: string; cfd: Json; rncp: Json };
    };
    const { fin, cfd, rncp } = periodeValidite;
    expect(fin).toBe(rncp['finEnregistrement']);
    expect(Date.parse(fin)).toBeLessThan(Date.parse(String(cfd['fermeture'])));
  });
});

describe('registration and continuity', () => {
  test('WS-44 the two phrases of a registration are enum members, another is OTHER with its text, none is null', async () => {
    const of = async (rncp: string | null) => {
      const { certifications } = await rules.read(
        'query ($rncp: RNCPCode) { certifications(rncp: $rncp, first: 1) { nodes { type { enregistrementRncp enregistrementRncpRaw } } } }',
        { variables: { rncp } },
      );
      return Object.values(certifications.nodes[0].type);
    };
    expect(await of('RNCP34000')).toEqual(['ENREGISTREMENT_DE_DROIT', null]);
    expect(await of('RNCP36003')).toEqual(['ENREGISTREMENT_SUR_DEMANDE', null]);
    expect(await of('RNCP36002')).toEqual(['OTHER', 'Enregistrement provisoire']);
    expect(await of(null)).toEqual([null, null]);
  });

  test('WS-45 the six ways of access are there whenever the object is', async () => {
    const [ways] = valuesAt(await one('50033303', 'RNCP34000'), 'type.voieAcces.rncp') as [Json];
    expect(Object.keys(ways)).toHaveLength(6);
    expect(Object.values(ways).every((value) => typeof value === 'boolean')).toBe(true);
  });

  test('WS-46, WS-47, WS-48 continuite.cfd has the diploma and its neighbours by opening date, the diploma alone current', async () => {
    const [entries] = valuesAt(await one('50033310', 'RNCP36006'), 'continuite.cfd') as [Json[]];
    expect(entries.map(({ code, courant }) => [code, courant])).toEqual([
      ['50033301', false],
      ['50033310', true],
      ['50033311', false],
    ]);
    expectRising(entries.map(({ ouverture }) => ouverture));
  });

  test('WS-50, WS-51 continuite.rncp has the record among its neighbours by activation date', async () => {
    const [entries] = valuesAt(await one('50033310', 'RNCP36006'), 'continuite.rncp') as [Json[]];
    expect(entries.map(({ code, courant }) => [code, courant])).toEqual([
      ['RNCP35000', false],
      ['RNCP36006', true],
      ['RNCP39999', false],
    ]);
    expectRising(entries.map(({ activation }) => activation));
  });
});

/** Checks that the validity of the pair lies in both its periods (work-study 12.2.1), as far as the dates are known. */
function expectOverlap(node: Json): void {
  const at = (path: string) =>
    valuesAt(node, `periodeValidite.${path}`).flatMap((text) => (typeof text === 'string' ? Date.parse(text) : []));
  for (const debut of at('debut'))
    expect(debut).toBeGreaterThanOrEqual(Math.max(...at('cfd.ouverture'), ...at('rncp.activation')));
  for (const fin of at('fin'))
    expect(fin).toBeLessThanOrEqual(Math.min(...at('cfd.fermeture'), ...at('rncp.finEnregistrement')));
}

/** Null dates may be anywhere in the order (WS-47, WS-50). */
function expectRising(dates: readonly unknown[]): void {
  const known = dates.filter((date) => typeof date === 'string').map((date) => Date.parse(date));
  expect(known.length).toBeGreaterThan(1);
  expect(known).toEqual([...known].sort((a, b) => a - b));
}
