import { describe, expect, it } from 'vitest';
import { offer, offerId, recruiter, recruiterId, SIRETS, smallWorld } from './small-world.js';
import { startedWorkStudy } from './started.js';

const { service, get, send } = await startedWorkStudy({
  world: smallWorld({
    offers: [
      offer(1),
      offer(2, { status: 'Filled' }),
      offer(3, { recipient: false }),
      offer(4, { expiration: '2026-08-31T00:00:00.000Z' }),
      ...Array.from({ length: 25 }, (_, i) => offer(100 + i, { siret: SIRETS.free })),
    ],
    recruiters: [recruiter(1, { siret: SIRETS.lycee })],
  }),
});

const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 …').toString('base64')}`;
const DOCX_TYPE = 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,';

function application(more: object = {}) {
  return {
    applicant_first_name: 'Jean',
    applicant_last_name: 'Dupont',
    applicant_email: 'jean.dupont@example.org',
    applicant_phone: '0101010101',
    applicant_attachment_name: 'cv.pdf',
    applicant_attachment_content: PDF,
    applicant_message: null,
    recipient_id: `partners_${offerId(1)}`,
    ...more,
  };
}

const apply = (more: object = {}) => send('POST', '/job/v1/apply', application(more));

/** Avoids the limit of ten a minute, which these tests are not about. */
async function applyUnlimited(more: object) {
  service.advance(60_000);
  return apply(more);
}

describe('an application (work-study 7.7)', () => {
  it('is accepted with 202 and an id, for an offer and for a likely recruiter', async () => {
    for (const recipient_id of [
      `partners_${offerId(1)}`,
      `partners_${recruiterId(1)}`,
      `recruiters_${recruiterId(1)}`,
    ]) {
      const { status, json } = await apply({ recipient_id });
      expect([status, Object.keys(json())]).toEqual([202, ['id']]);
    }
  });

  it('takes a docx and what is not documented', async () => {
    const { status } = await apply({
      applicant_attachment_name: 'cv.DOCX',
      applicant_attachment_content: `${DOCX_TYPE}${Buffer.from('PK\u0003\u0004').toString('base64')}`,
      applicant_contract_duration: ['12'],
      applicant_inscription_formation: true,
    });
    expect(status).toBe(202);
  });

  it.each([
    [{ applicant_first_name: '' }, 'body.applicant_first_name: Too small: expected string to have >=1 characters'],
    [
      { applicant_last_name: 'x'.repeat(51) },
      'body.applicant_last_name: Too big: expected string to have <=50 characters',
    ],
    [{ applicant_email: 'jean' }, 'body.applicant_email: Invalid email address'],
    [{ applicant_phone: '12' }, 'body.applicant_phone: Invalid phone number'],
    [{ recipient_id: undefined }, 'body.recipient_id: Invalid input: expected string, received undefined'],
    [{ applicant_attachment_content: PDF, applicant_attachment_name: 'cv.docx' }, 'File type is not supported'],
    [{ applicant_attachment_content: 'data:application/pdf;base64,SGVsbG8=' }, 'File type is not supported'],
    [{ applicant_email: 'jean@yopmail.com' }, 'Disposable email are not allowed'],
    [{ recipient_id: `partners_${offerId(99)}` }, 'Job or recruiter not found'],
    [{ recipient_id: `partners_${offerId(2)}` }, 'Job offer has expired'],
    [{ recipient_id: `partners_${offerId(4)}` }, 'Job offer has expired'],
    [
      { recipient_id: `partners_${offerId(3)}` },
      'Internal error: no contact email found for the corresponding ressource',
    ],
  ])('is refused with 400 for %j', async (more, message) => {
    const { status, json } = await apply(more);
    expect([status, json().error, json().message]).toEqual([400, 'Bad Request', message]);
  });

  it('is refused with 400 for a file of another name', async () => {
    const { status, json } = await apply({ applicant_attachment_name: 'cv.txt' });
    expect([status, json().message]).toEqual([400, expect.stringContaining('body.applicant_attachment_name')]);
  });

  it.each([
    ['offers_64a43d28eeeb7c3b210faf59', 'Invalid collection name: offers'],
    ['partners_12', 'Invalid job identifier: 12'],
  ])('is answered 500 for the malformed recipient %s', async (recipient_id, message) => {
    const { status, json } = await apply({ recipient_id });
    expect([status, json()]).toEqual([500, { statusCode: 500, error: 'Internal Server Error', message }]);
  });

  it('may be long: more than 1 MiB, not more than 5 MiB', async () => {
    const long = `${PDF}${'A'.repeat(2_000_000)}`;
    expect((await apply({ applicant_attachment_content: long })).status).toBe(202);
    expect((await apply({ applicant_attachment_content: `${PDF}${'A'.repeat(4_300_000)}` })).status).toBe(400);
    expect((await apply({ applicant_message: 'A'.repeat(5_400_000) })).status).toBe(413);
  });
});

describe('business quotas (work-study 4.3)', () => {
  const refusal = (message: string) => ({ statusCode: 429, error: 'Too Many Requests', message });

  it('lets one applicant apply three times for an offer, and says no without retry-after', async () => {
    for (let i = 0; i < 3; i += 1) expect((await apply()).status).toBe(202);
    const { status, json, headers } = await apply();
    expect([status, json()]).toEqual([429, refusal('Maximum application per offer reached')]);
    expect(headers['retry-after']).toBeUndefined();
    expect((await apply({ applicant_email: 'other@example.org' })).status).toBe(202);
  });

  it('lets one caller apply twenty times a day to one employer', async () => {
    for (let i = 0; i < 20; i += 1) {
      const recipient_id = `partners_${offerId(100 + i)}`;
      expect((await applyUnlimited({ recipient_id, applicant_email: `a${i}@example.org` })).status).toBe(202);
    }
    const { status, json } = await applyUnlimited({ recipient_id: `partners_${offerId(121)}` });
    expect([status, json()]).toEqual([429, refusal('Maximum application per recruiter reached')]);
    service.advance(24 * 60 * 60_000);
    expect((await apply({ recipient_id: `partners_${offerId(121)}` })).status).toBe(202);
  });

  it('closes an offer after eighty applications', async () => {
    for (let i = 0; i < 81; i += 1) {
      // An employer accepts twenty a day.
      if (i % 20 === 0) service.advance(24 * 60 * 60_000);
      expect((await applyUnlimited({ applicant_email: `b${i}@example.org` })).status).toBe(202);
    }
    expect((await get(`/job/v1/offer/${offerId(1)}`)).json().offer.status).toBe('Cancelled');
    expect((await applyUnlimited({ applicant_email: 'late@example.org' })).json().message).toBe(
      'Job offer has expired',
    );
  });
});

describe('the route of applications', () => {
  it('is the seed’s in its era, below the base address, and only that', async () => {
    service.era = 'seed';
    expect((await send('POST', '/v3/jobs/apply', application())).status).toBe(202);
    expect((await apply()).status).toBe(404);
    expect(service.unknownPaths).toEqual(['POST /api/job/v1/apply alice']);
  });

  it('is today’s in the other era', async () => {
    expect((await send('POST', '/v3/jobs/apply', application())).status).toBe(404);
  });
});
