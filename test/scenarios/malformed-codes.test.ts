import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plainMissions, the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

/** One field each, none of which may cause a call to a service. */
const MALFORMED: readonly string[] = [
  'organization(siret: "12345678901234") { id }',
  'organization(siret: "732829320") { id }',
  'organization(rna: "W12") { id }',
  'organization { id }',
  'organizations(siret: "1") { totalCount }',
  'missionSearch(associationRNA: ["W1"]) { totalCount }',
  'missions(associationRNA: ["751000000"]) { totalCount }',
  'commune(insee: "1234") { nom }',
  'commune(insee: "2C001") { nom }',
  'communes(code: "750") { nom }',
  'certifications(rncp: "12") { nodes { intitule { rncp } } }',
  'certifications(cfd: "x") { nodes { intitule { rncp } } }',
  'organisme(siret: "1") { resultat { status { ouvert } } }',
  'organisme(uai: "0491801T") { resultat { status { ouvert } } }',
  'formation(id: "") { identifiant { cleMinistereEducatif } }',
  'formations(rncp: "12") { totalCount }',
  'jobSearch(romes: ["X"]) { truncated }',
  'jobSearch(rncp: "37 537") { truncated }',
  'jobSearch(latitude: 100, longitude: 2) { truncated }',
  'jobSearch(latitude: 48) { truncated }',
  'jobOffer(id: "") { isDelegated }',
  'jobOffer(id: "../export") { isDelegated }',
  // From the service's own documentation; it is one character too long.
  'jobOffer(id: "6687165396d52b5e01b409545") { isDelegated }',
  'jobOfferPublishing(id: "6687165396d52b5e01b4095g") { publishing { status } }',
  'missionsLocales(latitude: 100, longitude: 0) { nom }',
  'missions(first: -1) { totalCount }',
  'missions(first: 100000) { totalCount }',
  'missions(after: "forged") { totalCount }',
];

describe.each(USUAL_SHAPE)('A malformed code or argument, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test('is the error of its own field, costs no call, and its siblings stand', async () => {
    const { id, title } = the(plainMissions(stack.sandbox.world)[0]);
    const wrong = MALFORMED.map((field, index) => `wrong${index}: ${field}`);
    const { status, data, errors } = await stack.send(`{ ${wrong.join('\n')} mission(id: "${id}") { title } }`);
    expect(status).toBe(200);
    expect(data.mission).toEqual({ title });
    for (const [index, field] of MALFORMED.entries()) {
      const name = `wrong${index}`;
      expect(data[name], field).toBeNull();
      const own = errors.filter(({ path }) => path?.[0] === name);
      expect(own, field).toMatchObject([{ path: [name], extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect(errors).toHaveLength(MALFORMED.length);
    expect(stack.calls()).toEqual([`volunteering GET /v0/mission/${id} operator`]);
  });

  test('is a text in which the register finds nothing to search by: it would list all organizations', async () => {
    const { data, errors } = await stack.send(`{
      mark: organizations(q: "-") { nodes { id } }
      smile: organizations(q: "🙂", department: "75") { nodes { id } }
      script: organizations(q: "Привет") { nodes { id } }
    }`);
    expect(data).toEqual({ mark: null, smile: null, script: null });
    expect(errors.map(({ path, extensions }) => `${extensions.code} ${path}`).sort()).toEqual(
      ['mark', 'script', 'smile'].map((field) => `BAD_USER_INPUT ${field}`),
    );
    expect(stack.calls()).toEqual([]);
  });

  test('is no text that has a letter beneath its accent', async () => {
    const { errors } = await stack.send('{ organizations(q: "Éts") { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(stack.calls()).toHaveLength(1);
  });

  test('deep in a response is the error of its own field too', async () => {
    const { id, insee } = the(plainMissions(stack.sandbox.world)[1]);
    const query = `{ mission(id: "${id}") { commune {
      code { insee }
      wrong: jobSearch(rncp: "RNCP") { truncated }
      missions(radius: -1) { totalCount }
    } } }`;
    const { data, errors } = await stack.send(query);
    expect(data.mission.commune).toEqual({ code: { insee }, wrong: null, missions: null });
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort()).toEqual([
      ['mission.commune.missions', 'BAD_USER_INPUT'],
      ['mission.commune.wrong', 'BAD_USER_INPUT'],
    ]);
    expect(stack.calls()).toEqual([
      `work-study GET /api/geographie/v1/commune/search?code=${insee} operator`,
      `volunteering GET /v0/mission/${id} operator`,
    ]);
  });

  test('of a source is null in a join, without an error', async () => {
    const { world } = stack.sandbox;
    const visible = world.missions.filter((row) => row['statusCode'] === 'ACCEPTED' && !row['deletedAt']);
    const row = the(
      visible.find(({ organizationRNA: rna, organizationSiren: siren }) => {
        return typeof rna === 'string' && rna !== '' && !/^W[0-9A-Z]{9}$/.test(rna) && !/^\d{14}$/.test(String(siren));
      }),
    );
    const { data, errors } = await stack.send(`{ mission(id: "${row['_id']}") { id organization { id } } }`);
    expect(errors).toEqual([]);
    expect(data.mission).toEqual({ id: row['_id'], organization: null });
    expect(stack.calls()).toEqual([`volunteering GET /v0/mission/${row['_id']} operator`]);
  });
});
