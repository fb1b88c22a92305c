import { describe, expect, it } from 'vitest';
import { PDF, APPLICATION as REQUIRED } from '../support/application.js';
import { alice, bob, fresh, sharedHarness } from '../support/harness.js';
import { storeId } from '../support/records.js';

const harness = sharedHarness();

const APPLY = 'mutation ($input: ApplicationInput!) { applyToJob(input: $input) { id userErrors { message field } } }';

const APPLICATION = {
  ...REQUIRED,
  applicantMessage: null,
  recipientId: `partners_${storeId(1)}`,
};

describe('applyToJob', () => {
  it('sends the application in the source’s spelling with the caller’s own key', () =>
    fresh(async ({ send, service }) => {
      const { data, errors } = await send(APPLY, { key: alice, variables: { input: APPLICATION } });
      expect(errors).toEqual([]);
      expect(data.applyToJob.id).toMatch(/^[0-9a-f]{24}$/);
      expect(service.callLines()).toEqual(['POST /api/job/v1/apply alice']);
      expect(service.calls[0]?.body).toEqual({
        applicant_first_name: 'Jean',
        applicant_last_name: 'Dupont',
        applicant_email: 'jean.dupont@example.fr',
        applicant_phone: '0101010101',
        applicant_attachment_name: 'cv.pdf',
        applicant_attachment_content: PDF,
        applicant_message: null,
        recipient_id: `partners_${storeId(1)}`,
      });
    }));

  it.each([
    ['applicantFirstName', '', 'is empty'],
    ['applicantLastName', 'x'.repeat(51), 'has at most 50 characters'],
    ['applicantEmail', 'jean', 'is not an e-mail address'],
    ['applicantPhone', 'none', 'is not a telephone number'],
    ['applicantAttachmentName', 'cv.odt', 'must end with .pdf or .docx'],
    ['applicantAttachmentContent', 'JVBERi0xLjQK', 'must begin with data:application/pdf;base64,'],
    ['applicantAttachmentContent', `${PDF}${'A'.repeat(4_215_276)}`, 'has at most 4215276 characters'],
    ['recipientId', '', 'is empty'],
  ])('refuses a wrong %s without a call, and without repeating it', async (name, value, message) => {
    const input = { ...APPLICATION, [name]: value };
    const { data, errors } = await harness.send(APPLY, { key: alice, variables: { input } });
    expect(errors).toEqual([]);
    const userErrors = [{ message: expect.stringContaining(`input.${name} `), field: ['input', name] }];
    expect(data).toEqual({ applyToJob: { id: null, userErrors } });
    expect(data.applyToJob.userErrors[0].message).toContain(message);
    expect(harness.service.calls).toEqual([]);
  });

  it('tells the source’s refusals apart: right, input, identifier', async () => {
    const requested = async (parts: object, key = alice) => {
      const { data, errors } = await harness.send(APPLY, { key, variables: { input: { ...APPLICATION, ...parts } } });
      return errors.length > 0 ? errors : data.applyToJob.userErrors.map(({ field }: { field: string[] }) => field);
    };
    expect(await requested({}, bob)).toEqual(['PERMISSION_DENIED applyToJob']);
    expect(await requested({ recipientId: `partners_${storeId(5)}` })).toEqual([[]]);
    expect(await requested({ recipientId: 'nobody' })).toEqual([[]]);
    expect(await requested({ applicantEmail: 'jean@yopmail.com' })).toEqual([[]]);
  });

  it('tells the source’s own limit on applications from the limit on calls', () =>
    fresh(async ({ send, service }) => {
      const apply = async () => send(APPLY, { key: alice, variables: { input: APPLICATION } });
      for (const _time of [1, 2, 3]) expect((await apply()).errors).toEqual([]);
      const fourth = await apply();
      expect(fourth.errors).toEqual(['BUSINESS_QUOTA applyToJob']);
      expect(fourth.messages[0]).toContain('Maximum application per offer reached');
      service.fault({ kind: 'rate-limit' });
      expect((await apply()).errors).toEqual(['RATE_LIMITED applyToJob']);
    }));
});
