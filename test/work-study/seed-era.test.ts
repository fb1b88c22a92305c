import { describe, expect, it } from 'vitest';
import { alice, fresh, type Harness } from './support/harness.js';
import { offer, recruiter, storeId } from './support/records.js';
import { SIRETS, tinyWorld } from './support/tiny-world.js';

/** The same client reads the service as it was first documented, without a setting for the era (architecture 4). */
const inSeedEra = (run: (harness: Harness) => Promise<void>, world = tinyWorld()) => fresh(run, world, { era: 'seed' });

describe('the service as the seed describes it', () => {
  it('answers reads of every kind without an error', () =>
    inSeedEra(async ({ send, drifts }) => {
      const { errors } = await send(`{
        commune(insee: "75056") { nom jobSearch { truncated jobs { identifier { id partnerLabel } offer { status } } recruiters { identifier { id } } } }
        certifications(rncp: "RNCP37098") { nodes { identifiant { cfd } jobSearch { jobs { isDelegated } } } }
        departements { nom } missionsLocales { nom } organismes { nodes { statut { referentiel } } }
        formations { nodes { statut { catalogue } } } jobOffer(id: "${storeId(5)}") { offer { status } }
        jobOfferExport { url lastUpdate }
      }`);
      expect(errors).toEqual([]);
      expect(drifts.filter((place) => place !== 'MissionLocale.siret')).toEqual([]);
    }));

  it('names its partners in its own words: an own offer stays an offer, a recruiter stays none', () =>
    inSeedEra(
      async ({ send, said }) => {
        const search = await send(
          '{ jobSearch { jobs { identifier { partnerLabel } } recruiters { identifier { id } } } }',
        );
        expect(search.data.jobSearch.jobs).toEqual([{ identifier: { partnerLabel: 'offres_emploi_svc' } }]);

        const organizations =
          'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Organization { workplacesComplete workplaces { siret } jobOffers { totalCount } } } }';
        const variables = { of: [{ __typename: 'Organization', id: '1', siret: SIRETS.bakery, sirets: [] }] };
        await send(organizations, { variables });
        await said('export indexed');
        const { data } = await send(organizations, { variables });
        expect(data._entities[0]).toMatchObject({ workplacesComplete: true, jobOffers: { totalCount: 1 } });
      },
      tinyWorld({ offers: [offer({ id: storeId(1) })], recruiters: [recruiter(storeId(20))] }),
    ));

  it('leaves its recruiters out by either name of theirs', () =>
    inSeedEra(async ({ send }) => {
      const { data } = await send(
        '{ a: jobSearch(partnersToExclude: ["recruteurs_svc"]) { recruiters { identifier { id } } } b: jobSearch(partnersToExclude: ["recruteurs_lba"]) { recruiters { identifier { id } } } }',
      );
      expect(data).toEqual({ a: { recruiters: [] }, b: { recruiters: [] } });
    }));

  it('refuses a new offer that is not active and a number that is not European', () =>
    inSeedEra(async ({ send }) => {
      const create = (apply: object, offerParts: object = {}) =>
        send('mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { id } }', {
          key: alice,
          variables: {
            input: {
              workplace: { siret: SIRETS.bakery },
              apply,
              offer: { title: 'Boulangère', description: 'Pétrir, façonner et cuire le pain.', ...offerParts },
            },
          },
        });
      expect((await create({ email: 'a@example.fr' }, { status: 'CANCELLED' })).errors).toEqual([
        'BAD_USER_INPUT createJobOffer',
      ]);
      expect((await create({ phone: '+1 202 555 0143' })).errors).toEqual(['UPSTREAM_REFUSED_INPUT createJobOffer']);
      expect((await create({ phone: '+49 30 901820' })).errors).toEqual([]);
    }));
});
