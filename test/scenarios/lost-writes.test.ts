import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/server/types.js';
import { APPLICATION } from '../work-study/support/application.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const CREATE = 'mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { offerId } }';
const APPLY = 'mutation ($input: ApplicationInput!) { applyToJob(input: $input) { id } }';

/** The smallest offer that the documents allow. */
const OFFER = {
  workplace: { siret: '13002526500013' },
  apply: { email: 'mail@example.fr' },
  offer: { title: 'Web', description: 'Trente caractères, pas un de moins.' },
};

const IN_DOUBT = 'work-study did not confirm this write, which may have been done: check before you repeat it.';

describe.each(USUAL_SHAPE)('A write, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.sandbox.workStudy.reset());
  afterAll(() => stack.close());

  async function write(query: string, input: object) {
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    const { data, errors } = await stack.send(query, { variables: { input }, headers });
    const posts = stack.sandbox.workStudy.calls.filter(({ method }) => method === 'POST');
    return { data, errors, posts };
  }
  const create = () => write(CREATE, OFFER);

  test.each<Fault>([
    { kind: 'cut' },
    { kind: 'reset-mid-body' },
    { kind: 'drop' },
    { kind: 'status', status: 504 },
    { kind: 'html', status: 200 },
  ])('whose response is lost is sent once, and may have been done: $kind', async (fault) => {
    stack.sandbox.workStudy.fault({ ...fault, method: 'POST', times: 1 });
    const { data, errors, posts } = await create();
    expect(data).toEqual({ createJobOffer: null });
    expect(errors.map(({ message }) => message)).toEqual([IN_DOUBT]);
    expect(posts).toHaveLength(1);
  });

  test('is in doubt whichever it is: an application', async () => {
    stack.sandbox.workStudy.fault({ kind: 'cut', method: 'POST', times: 1 });
    const [{ identifier }] = (await stack.send('{ jobSearch { jobs { identifier { offerId } } } }')).data.jobSearch
      .jobs;
    const { errors, posts } = await write(APPLY, { ...APPLICATION, recipientId: `partners_${identifier.id}` });
    expect(errors).toMatchObject([{ message: IN_DOUBT, extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(posts).toHaveLength(1);
  });

  test('that never left is not in doubt: the connection was refused', async () => {
    await stack.sandbox.workStudy.stopListening();
    const { errors } = await create();
    await stack.sandbox.workStudy.startListening();
    expect(errors).toMatchObject([{ message: 'work-study cannot be reached.' }]);
  });

  test('that the service refuses is not in doubt', async () => {
    stack.sandbox.workStudy.fault({ kind: 'status', status: 403, method: 'POST', times: 1 });
    const { errors } = await create();
    expect(errors).toMatchObject([{ extensions: { code: 'PERMISSION_DENIED' } }]);
    expect(errors[0]?.message).not.toBe(IN_DOUBT);
  });
});
