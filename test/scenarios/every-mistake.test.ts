import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, type StackResponse, startStack, USUAL_SHAPE } from './stack.js';

/** Guards that a form can mark all of its fields: each mistake stands for itself, with the path of its argument. */

const APPLY = 'mutation ($input: ApplicationInput!) { applyToJob(input: $input) { userErrors { field } } }';
const OFFER = 'mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { userErrors { field } } }';
const fieldsOf = ({ userErrors }: { userErrors: { field: string[] }[] }) => userErrors.map(({ field }) => field);

describe.each(USUAL_SHAPE)('Mistakes in arguments, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const mistakesOf = ({ errors }: StackResponse) => {
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['BAD_USER_INPUT']));
    return errors.map(({ path, extensions }) => [path?.join('.'), extensions.argument]);
  };
  const key = () => ({ 'x-work-study-key': stack.sandbox.keys.workStudy.alice });

  test('of a form are all named, before a call', async () => {
    const input = {
      applicantFirstName: ' ',
      applicantLastName: 'Martin',
      applicantEmail: 'nobody',
      applicantPhone: '12',
      applicantAttachmentName: 'letter.txt',
      applicantAttachmentContent: '',
      recipientId: 'x',
    };
    const response = await stack.send(APPLY, { variables: { input }, headers: key() });
    expect(response.errors).toEqual([]);
    expect(fieldsOf(response.data.applyToJob)).toEqual([
      ['input', 'applicantFirstName'],
      ['input', 'applicantEmail'],
      ['input', 'applicantPhone'],
      ['input', 'applicantAttachmentName'],
    ]);
    expect(stack.calls()).toEqual([]);
  });

  test('of nested input have the path to each field', async () => {
    const input = {
      workplace: { siret: '1', website: 'nowhere' },
      apply: { phone: '12' },
      contract: { duration: -1, start: '2026-01-31' },
      offer: { title: 'A', description: 'Short', romeCodes: ['x', 'M1805', 'y'], status: 'FILLED' },
    };
    const response = await stack.send(OFFER, { variables: { input }, headers: key() });
    expect(fieldsOf(response.data.createJobOffer)).toEqual([
      ['input', 'workplace', 'siret'],
      ['input', 'workplace', 'website'],
      ['input', 'apply', 'phone'],
      ['input', 'contract', 'duration'],
      ['input', 'contract', 'start'],
      ['input', 'offer', 'title'],
      ['input', 'offer', 'description'],
      ['input', 'offer', 'romeCodes', '0'],
      ['input', 'offer', 'romeCodes', '2'],
      ['input', 'offer', 'status'],
    ]);
    expect(stack.calls()).toEqual([]);
  });

  test.each([
    [
      'missions(first: -1, after: "x", department: ["76", "zz"], departmentName: ["Nowhere"], associationRNA: ["W1"], createdAt: { after: "soon" }, startAt: { after: "2026-02-01", before: "2026-01-01" })',
      [
        ['department', 1],
        ['departmentName'],
        ['associationRNA'],
        ['createdAt', 'after'],
        ['startAt', 'after'],
        ['first'],
        ['after'],
      ],
    ],
    ['missionSearch(lat: 91, lon: 200, distance: -1, text: "")', [['text'], ['lat'], ['lon'], ['distance']]],
    ['organizations(q: "", siret: "1", rna: "2", department: ["zz"])', [['q'], ['siret'], ['rna'], ['department']]],
    [
      'jobSearch(latitude: 91, longitude: 2, radius: 900, romes: ["x"], rncp: "y", departements: ["z"], opco: "")',
      [['latitude'], ['radius'], ['rncp'], ['romes'], ['departements'], ['opco']],
    ],
    ['formations(first: 5000, radius: -1, romes: ["x"], rncp: "y")', [['radius'], ['rncp'], ['romes'], ['first']]],
    [
      'exportedOffers(where: { siret: ["1", "2"], insee: ["75056", "x"], department: ["y", "75"], region: ["z", "z"], rome: ["M18", "m"], naf: ["", "4711F"], opco: ["", "a"], partner: [""] })',
      [
        ['where', 'insee', 1],
        ['where', 'department', 0],
        ['where', 'region', 0],
        ['where', 'region', 1],
        ['where', 'rome', 1],
        ['where', 'naf', 0],
        ['where', 'opco', 0],
        ['where', 'partner'],
        ['where', 'siret', 0],
        ['where', 'siret', 1],
      ],
    ],
    [
      'missions(associationRNA: ["W1", "W2"], domain: ["a", ""]) ',
      [
        ['domain', 1],
        ['associationRNA', 0],
        ['associationRNA', 1],
      ],
    ],
    [
      'jobSearch(romes: ["x", "M1805", "y"], departements: ["75", "z"], partnersToExclude: ["", "b"])',
      [
        ['romes', 0],
        ['romes', 2],
        ['departements', 1],
        ['partnersToExclude', 0],
      ],
    ],
    ['certifications(cfd: "x", rncp: "y", romes: ["z"])', [['rncp'], ['cfd'], ['romes']]],
  ])('of a list are all named: %s', async (field, expected) => {
    const name = field.slice(0, field.indexOf('('));
    const response = await stack.send(`{ ${field} { __typename } }`);
    expect(mistakesOf(response)).toEqual(expected.map((argument) => [name, argument]));
    expect(stack.calls()).toEqual([]);
  });

  test('of a joined field are named at each of its objects', async () => {
    const response = await stack.send(
      '{ departements { jobSearch(romes: ["x"], opco: "") { __typename } } commune(insee: "75056") { missions(first: 2000, radius: -1) { totalCount } } }',
    );
    const mistakes = mistakesOf(response);
    expect(mistakes).toContainEqual(['departements.1.jobSearch', ['romes']]);
    expect(mistakes).toContainEqual(['departements.1.jobSearch', ['opco']]);
    expect(mistakes).toContainEqual(['commune.missions', ['first']]);
    expect(mistakes).toContainEqual(['commune.missions', ['radius']]);
  });

  test('of variables have the path of the argument too, also where something is missing', async () => {
    const query = `mutation ($offer: JobOfferDetailsInput!, $apply: JobOfferApplyInput!, $siret: SIRET!) {
      createJobOffer(input: { workplace: { siret: $siret }, apply: $apply, offer: $offer }) { __typename }
    }`;
    const variables = {
      offer: { title: 'Vendeuse', romeCodes: ['M1805', null], status: 'OPEN', titel: '' },
      apply: null,
    };
    const response = await stack.send(query, { variables, headers: key() });
    expect([response.status, response.data]).toEqual([400, undefined]);
    expect(mistakesOf(response).map(([, argument]) => argument)).toEqual([
      ['input', 'offer', 'description'],
      ['input', 'offer', 'romeCodes', 1],
      ['input', 'offer', 'status'],
      ['input', 'offer', 'titel'],
      ['input', 'apply'],
      ['input', 'workplace', 'siret'],
    ]);
    expect(stack.calls()).toEqual([]);
  });

  test('a word that stands for unknown ones is none that can be requested, and is still shown', async () => {
    const written = await stack.send('{ missions(remote: [OTHER]) { totalCount } }');
    expect([written.status, written.errors[0]?.extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    const query = 'query ($remote: [MissionRemote!]) { missions(remote: $remote) { totalCount } }';
    expect((await stack.send(query, { variables: { remote: ['OTHER'] } })).status).toBe(400);
    expect((await stack.send(query, { variables: { remote: ['NO'] } })).errors).toEqual([]);
    const values = await stack.send('{ __type(name: "MissionRemoteOrOther") { enumValues { name } } }');
    expect(values.data.__type.enumValues).toContainEqual({ name: 'OTHER' });
  });
});
