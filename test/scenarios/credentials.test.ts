import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../sandbox/volunteering/accounts.js';
import { callsOf, plainMissions, the } from './samples.js';
import { SHAPES, type Stack, type StackResponse, startStack } from './stack.js';

describe.each(SHAPES)('Whose key a call carries, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const volunteeringKey = (name: 'alice' | 'bob') => ({
    'x-volunteering-key': stack.sandbox.keys.volunteering[name],
  });
  const workStudyKey = (name: 'alice' | 'bob') => ({ 'x-work-study-key': stack.sandbox.keys.workStudy[name] });
  const token = () => ({ authorization: `Bearer ${stack.sandbox.keys.waste.token}` });

  test('each credential reaches its own service and no other', async () => {
    const { workStudy, volunteering, waste } = stack.sandbox;
    const { errors } = await stack.send(
      '{ jobSearch(departements: ["29"]) { truncated } missions(first: 2) { nodes { id } } viewer { name } }',
      {
        headers: {
          ...workStudyKey('alice'),
          ...volunteeringKey('bob'),
          ...token(),
          'x-api-key': 'of somebody else',
          apikey: 'of somebody else',
          'proxy-authorization': 'Basic c29tZWJvZHk6ZWxzZQ==',
        },
      },
    );
    expect(errors).toEqual([]);
    const seen = [workStudy, volunteering, waste].map(({ calls }) =>
      calls.map(({ key, credentialHeaders }) => [key, ...credentialHeaders]),
    );
    expect(seen).toEqual([
      [['alice', 'authorization']],
      [['bob', 'apikey', 'x-api-key']],
      [[the(stack.sandbox.world.wasteUsers[0]).email, 'authorization']],
    ]);
  });

  test('companies say what they prove, in the call that reads the user', async () => {
    const query = '{ viewer { companies { verificationStatus role isDormantSince } companiesComplete } }';
    const { data, errors } = await stack.send(query, { headers: token() });
    expect(errors).toEqual([]);
    const company = (verificationStatus: string, role: string, isDormantSince: string | null = null) => ({
      verificationStatus,
      role,
      isDormantSince,
    });
    expect(data.viewer).toEqual({
      companies: [
        company('VERIFIED', 'ADMIN'),
        company('TO_BE_VERIFIED', 'MEMBER'),
        company('LETTER_SENT', 'DRIVER'),
        company('STANDBY', 'READER', '2025-03-01T09:30:00.000Z'),
        company('VERIFIED', 'ADMIN'),
      ],
      companiesComplete: true,
    });
    expect(stack.calls()).toEqual([`waste-identity POST / ${the(stack.sandbox.world.wasteUsers[0]).email}`]);
  });

  test('without a key of his own, a caller reads with the operator’s', async () => {
    await stack.send('{ jobSearch(departements: ["56"]) { truncated } missions(first: 3) { nodes { id } } }');
    expect(stack.calls()).toEqual([
      'work-study GET /api/job/v1/search?departements=56 operator',
      'volunteering GET /v0/mission?limit=3 operator',
    ]);
  });

  test('what all callers share is always fetched with the operator’s key, and once', async () => {
    const mission = the(plainMissions(stack.sandbox.world)[0]);
    const query = `{ mission(id: "${mission.id}") { commune { code { insee } } } }`;
    const accounts = createAccounts(stack.sandbox.world.publishers);
    const row = the(stack.sandbox.world.missions.find(({ _id }) => _id === mission.id));
    const name = the(accounts.get('alice')).sees(row['publisherId']) ? 'alice' : 'bob';
    const headers = { ...workStudyKey('alice'), ...volunteeringKey(name) };
    const own = await stack.send(query, { headers });
    expect(own.data.mission.commune).toEqual({ code: { insee: mission.insee } });
    expect(stack.calls()).toEqual([callsOf.commune(mission), callsOf.mission(mission, name)]);
    stack.forgetCalls();
    const operators = await stack.send(query);
    expect(operators.data).toEqual(own.data);
    expect(stack.calls()).toEqual([callsOf.mission(mission)]);
  });

  test.each([
    ['communes(code: "29200") { nom }', 'work-study', 'operator'],
    ['missionsLocales(latitude: 48.4, longitude: -4.5, radius: 30) { nom }', 'work-study', 'operator'],
    ['certifications(rncp: "RNCP37537") { totalCount }', 'work-study', 'operator'],
    ['jobOffer(id: "0123456789abcdef01234567") { isDelegated }', 'work-study', 'alice'],
    ['formations(rncp: "RNCP37537") { totalCount }', 'work-study', 'alice'],
    ['organismes(first: 3) { totalCount }', 'work-study', 'alice'],
    ['missionSearch(text: "mer") { totalCount }', 'volunteering', 'alice'],
    ['organizations(q: "mer") { totalCount }', 'volunteering', 'alice'],
  ])('a caller with keys of his own requests %s of %s with the key of %s', async (field, service, holder) => {
    const { errors } = await stack.send(`{ ${field} }`, {
      headers: { ...workStudyKey('alice'), ...volunteeringKey('alice') },
    });
    expect(errors).toEqual([]);
    expect(stack.calls()).toHaveLength(1);
    expect(stack.calls()[0]).toMatch(new RegExp(`^${service} GET .* ${holder}$`));
  });

  test('two callers see what their own keys show, never each other’s cache entries', async () => {
    const { world } = stack.sandbox;
    const accounts = createAccounts(world.publishers);
    const query = '{ missions(first: 60) { nodes { id publisherId } } }';
    const idsOf = async (name: 'alice' | 'bob') => {
      const { data, errors } = await stack.send(query, { headers: volunteeringKey(name) });
      expect(errors).toEqual([]);
      for (const { publisherId } of data.missions.nodes) {
        expect(the(accounts.get(name)).sees(publisherId), `${publisherId} for ${name}`).toBe(true);
      }
      return data.missions.nodes.map(({ id }: { id: string }) => id);
    };
    const [alice, bob] = [await idsOf('alice'), await idsOf('bob')];
    expect(alice).not.toEqual(bob);
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission?limit=60 alice',
      'volunteering GET /v0/mission?limit=60 bob',
    ]);
    stack.forgetCalls();
    expect([await idsOf('alice'), await idsOf('bob')], 'each is kept for its own caller').toEqual([alice, bob]);
    expect(stack.calls()).toEqual([]);
  });

  test('two callers at once share no call', async () => {
    const query = '{ missions(first: 4) { nodes { id } } }';
    await Promise.all([
      stack.send(query, { headers: volunteeringKey('alice') }),
      stack.send(query, { headers: volunteeringKey('bob') }),
      stack.send(query),
    ]);
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission?limit=4 alice',
      'volunteering GET /v0/mission?limit=4 bob',
      'volunteering GET /v0/mission?limit=4 operator',
    ]);
  });

  test('a caller’s key that is refused is his error, and never replaced by the operator’s', async () => {
    const query = '{ missions(first: 5) { nodes { id } } jobSearch(departements: ["44"]) { truncated } }';
    await stack.send(query);
    stack.forgetCalls();
    const { data, errors } = await stack.send(query, {
      headers: { 'x-volunteering-key': 'a wrong key', 'x-work-study-key': 'another wrong key' },
    });
    expect(data).toEqual({ missions: null, jobSearch: null });
    expect(errors.map(({ path, extensions }) => [path, extensions.code, extensions.service])).toEqual(
      expect.arrayContaining([
        [['missions'], 'CREDENTIALS_REJECTED', 'volunteering'],
        [['jobSearch'], 'CREDENTIALS_REJECTED', 'work-study'],
      ]),
    );
    expect(stack.calls()).toEqual([
      'work-study GET /api/job/v1/search?departements=44 unknown',
      'volunteering GET /v0/mission?limit=5 unknown',
    ]);
    stack.forgetCalls();
    const operators = await stack.send(query);
    expect(operators.errors, 'the operator’s answers are not touched').toEqual([]);
    expect(stack.calls()).toEqual([]);
  });

  test('a token or key that was refused is not sent again at once, and another one is', async () => {
    const { waste, world } = stack.sandbox;
    const send = (token: string) =>
      stack.send('{ viewer { name } missions(first: 9) { nodes { id } } }', {
        headers: { authorization: `Bearer ${token}`, 'x-volunteering-key': token },
      });
    const codesOf = ({ errors }: StackResponse) => errors.map(({ extensions }) => extensions.code).sort();
    stack.forgetCalls();
    for (let time = 0; time < 5; time += 1) {
      expect(codesOf(await send('invented'))).toEqual(['CREDENTIALS_REJECTED', 'RECONNECT_REQUIRED']);
    }
    expect(stack.calls()).toEqual(['volunteering GET /v0/mission?limit=9 unknown', 'waste-identity POST / unknown']);
    expect((await send(waste.issueToken(the(world.wasteUsers[1]).email))).data.viewer).not.toBeNull();
  });

  test('the viewer needs a token, and a revoked one is told apart', async () => {
    const { waste, world } = stack.sandbox;
    const [, user] = world.wasteUsers;
    const { email, name } = the(user);
    const query = '{ viewer { name email } missions(first: 6) { nodes { id } } }';
    const none = await stack.send(query);
    expect(none.data.viewer).toBeNull();
    expect(none.errors).toMatchObject([
      { path: ['viewer'], extensions: { code: 'CREDENTIALS_REQUIRED', service: 'waste-identity' } },
    ]);
    expect(none.data.missions.nodes).toHaveLength(6);
    expect(waste.calls).toEqual([]);

    const headers = { authorization: `Bearer ${waste.issueToken(email)}` };
    const connected = await stack.send(query, { headers });
    expect(connected.errors).toEqual([]);
    expect(connected.data.viewer).toEqual({ name, email });

    waste.revoke(email);
    const revoked = await stack.send(query, { headers });
    expect(revoked.data.viewer).toBeNull();
    expect(revoked.errors).toMatchObject([
      { path: ['viewer'], extensions: { code: 'RECONNECT_REQUIRED', service: 'waste-identity' } },
    ]);
    expect(revoked.data.missions.nodes).toHaveLength(6);
    expect(waste.calls, 'an identity is never kept').toHaveLength(2);
  });

  test('writing needs a key of the caller’s own, and costs no call without', async () => {
    const { data, errors } = await stack.send(
      'mutation { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }',
    );
    expect(data).toEqual({ generateAppointmentLink: null });
    expect(errors).toMatchObject([{ path: ['generateAppointmentLink'], extensions: { code: 'CREDENTIALS_REQUIRED' } }]);
    expect(stack.calls()).toEqual([]);
  });
});

describe.each(SHAPES)('An operator whose key is refused, %s', (shape) => {
  test('has a source that is off, which a caller’s own key still opens', async () => {
    const stack = await startStack({
      shape,
      sandbox: { scale: 0.02 },
      env: { VOLUNTEERING_API_KEY: 'a-key-that-was-withdrawn' },
    });
    const query = '{ missions(first: 2) { nodes { id } } departements { nom } }';
    const { data, errors } = await stack.send(query);
    expect(data.missions).toBeNull();
    expect(data.departements.length).toBe(stack.sandbox.world.departements.length);
    expect(errors).toMatchObject([{ path: ['missions'], extensions: { code: 'SOURCE_OFF', service: 'volunteering' } }]);
    const own = await stack.send(query, { headers: { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice } });
    expect(own.errors).toEqual([]);
    expect(own.data.missions.nodes).toHaveLength(2);
    expect(stack.log.lines.some(({ level }) => level === 'error' || level === 'warn')).toBe(true);
    await stack.close();
  });
});
