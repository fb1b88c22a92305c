import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../../../sandbox/world/index.js';
import { fetchRaw } from '../raw.js';
import {
  CERTIFICATION,
  COMMUNE,
  DEPARTEMENT,
  departures,
  FORMATION,
  JOB_OFFER,
  JOB_RECRUITER,
  MISSION_LOCALE,
  ORGANISME,
  ORGANISME_SEARCH,
  type Shape,
} from './documented-shapes.js';
import { startedWorkStudy } from './started.js';

const { service, get } = await startedWorkStudy({ world: sharedWorld({ scale: 0.2 }) });
const json = async (path: string) => (await get(path)).json();
/** Fails on the first few departures of any row, and if there are no rows. */
const check = (rows: unknown[], shape: Shape): void => {
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.flatMap((row) => departures(row, shape)).slice(0, 5)).toEqual([]);
};

describe('the world as the service sends it has exactly the documented keys and types (work-study 8, 9)', () => {
  it('geography', async () => {
    check(await json('/geographie/v1/departement'), DEPARTEMENT);
    check(await json('/geographie/v1/mission-locale'), MISSION_LOCALE);
    const codes = ['75056', '13055', '69123', '01004', '97411', '20000', '49007', '97500'];
    for (const code of codes) check(await json(`/geographie/v1/commune/search?code=${code}`), COMMUNE);
  });

  it('certifications', async () => check(await json('/certification/v1'), CERTIFICATION));

  it('formations', async () => {
    const { data } = await json('/formation/v1/search?page_size=1000&include_archived=true');
    check(data, FORMATION);
    const key: string = data[0].identifiant.cle_ministere_educatif;
    check([await json(`/formation/v1/${encodeURIComponent(key)}`)], FORMATION);
  });

  it('organismes and the matcher', async () => {
    const { data } = await json('/organisme/v1/export?page_size=1000');
    check(data, ORGANISME);
    for (const { identifiant } of data.slice(0, 20)) {
      check([await json(`/organisme/v1/recherche?siret=${identifiant.siret}`)], ORGANISME_SEARCH);
    }
  });

  it('the job search, an offer by its id and the export', async () => {
    const { jobs, recruiters, warnings } = await json('/job/v1/search');
    check(jobs, JOB_OFFER);
    check(recruiters, JOB_RECRUITER);
    expect(warnings).toEqual([]);
    check([await json(`/job/v1/offer/${jobs[0].identifier.id}`)], JOB_OFFER);
    check([await json(`/job/v1/offer/${recruiters[0].identifier.id}`)], JOB_OFFER);
    check((await fetchRaw((await json('/job/v1/export')).url)).json(), JOB_OFFER);
  });

  it('the seed’s offers have the same keys', async () => {
    service.era = 'seed';
    const { jobs, recruiters } = await json('/job/v1/search');
    check(jobs, JOB_OFFER);
    check(recruiters, JOB_RECRUITER);
  });

  it('has all three origins and no unknown path in between', async () => {
    const labels = new Set<string>();
    for (const { identifier } of (await fetchRaw((await json('/job/v1/export')).url)).json())
      labels.add(identifier.partner_label);
    for (const label of ['offres_emploi_lba', 'France Travail', 'recruteurs_lba']) expect(labels).toContain(label);
    expect(service.unknownPaths).toEqual([]);
  });
});
