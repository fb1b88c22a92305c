import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../../../sandbox/world/index.js';

type Offer = { workplace: { siret: string | null; name: string | null }; offer: { rome_codes: string[] } };
type Certification = {
  domaines: { rome: { rncp: { code: string }[] | null } };
  type: { certificateurs_rncp: { siret: string }[] | null };
};

const world = sharedWorld();
const offers = world.offers as unknown as Offer[];
const recruiters = world.recruiters as unknown as Pick<Offer, 'workplace'>[];
const certifications = world.certifications as unknown as Certification[];
const organizationSirets = new Set(
  world.organizations.flatMap(({ siret, sirets }) => [siret, ...(sirets as string[])]),
);
const workplaceSirets = new Set([...offers, ...recruiters].flatMap(({ workplace }) => workplace.siret ?? []));
organizationSirets.delete(null);
organizationSirets.delete('');

describe('The records of the world refer to each other', () => {
  it('four organizations in ten have offers or are likely recruiters', () => {
    const employing = world.organizations.filter(({ siret, sirets }) =>
      [siret, ...(sirets as string[])].some((one) => workplaceSirets.has(String(one))),
    );
    expect(employing.length / world.organizations.length).toBeGreaterThan(0.35);
    expect(employing.length / world.organizations.length).toBeLessThan(0.5);
  });

  it('an establishment appears as several workplaces, some under custom names', () => {
    const names = new Map<string, Set<string | null>>();
    for (const { workplace } of offers) {
      if (workplace.siret === null) continue;
      names.set(workplace.siret, (names.get(workplace.siret) ?? new Set()).add(workplace.name));
    }
    expect([...names.values()].filter((all) => all.size > 1).length).toBeGreaterThan(100);
    expect(world.customNames.size).toBeGreaterThan(100);
  });

  it('some SIRETs belong to two organizations, once as the main one and once in a list', () => {
    const owners = new Map<unknown, number>();
    for (const { siret } of world.organizations) if (siret) owners.set(siret, (owners.get(siret) ?? 0) + 1);
    expect([...owners.values()].filter((count) => count > 1).length).toBeGreaterThan(5);
    const listed = world.organizations.filter(({ siret, sirets }) =>
      (sirets as string[]).some((one) => one !== siret && owners.has(one)),
    );
    expect(listed.length).toBeGreaterThan(2);
  });

  it('missions name organizations by RNA, by SIREN, and by a SIRET in the field of the SIREN', () => {
    const rnas = new Set(world.organizations.flatMap(({ rna }) => rna ?? []));
    const values = world.missions.map(({ organizationRNA, organizationSiren }) => ({
      organizationRNA,
      organizationSiren,
    }));
    expect(values.filter(({ organizationRNA }) => rnas.has(organizationRNA ?? '')).length).toBeGreaterThan(3_000);
    expect(values.filter(({ organizationSiren }) => organizationSirets.has(organizationSiren)).length).toBeGreaterThan(
      500,
    );
    const malformed = values.filter(
      ({ organizationRNA }) => organizationRNA && !/^W\d[\dA-Z]\d{7}$/.test(String(organizationRNA)),
    );
    expect(malformed.length).toBeGreaterThan(50);
  });

  it('a verified mission carries the id of its organization', () => {
    const byId = new Map(world.organizations.map((organization) => [organization['_id'], organization]));
    const verified = world.missions.filter(({ organizationId }) => organizationId !== null);
    expect(verified.length).toBeGreaterThan(3_000);
    for (const mission of verified)
      expect(byId.get(mission['organizationId'])?.['rna']).toBe(mission['organizationRNA']);
  });

  it('missions locales, certifiers and organismes are organizations in part', () => {
    const locales = world.missionsLocales.filter(({ siret }) => organizationSirets.has(siret)).length;
    expect(locales / world.missionsLocales.length).toBeGreaterThan(0.3);
    const certifiers = new Set(
      certifications.flatMap((one) => one.type.certificateurs_rncp?.map(({ siret }) => siret) ?? []),
    );
    const known = [...certifiers].filter((siret) => organizationSirets.has(siret));
    expect(known.length).toBeGreaterThan(0);
    expect(known.length).toBeLessThan(certifiers.size);
  });

  it('every offer has a ROME code that certifications lead to', () => {
    const romes = new Set(certifications.flatMap((one) => one.domaines.rome.rncp?.map(({ code }) => code) ?? []));
    for (const { offer } of offers) expect(offer.rome_codes.every((code) => romes.has(code))).toBe(true);
  });

  it('the first user of the waste platform has companies that are known to both, one, or none of the others', () => {
    const companies = world.wasteUsers[0]?.companies ?? [];
    const kinds = companies.map(({ siret }) => [organizationSirets.has(siret), workplaceSirets.has(String(siret))]);
    expect(kinds).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [false, false],
      [false, false],
    ]);
    expect(companies.at(-1)?.['siret']).toBeNull();
  });
});
