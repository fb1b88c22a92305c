import { describe, expect, it } from 'vitest';
import { readGraphqlResponse } from '../../subgraphs/waste-identity/viewer/client.js';

const ORIGIN = { service: 'waste-identity', drift: () => {} } as const;

const failing = (...codes: unknown[]) => ({
  data: null,
  errors: codes.map((code) => ({ message: 'secret text of the platform', extensions: { code } })),
});

describe('readGraphqlResponse', () => {
  it.each([
    ['UNAUTHENTICATED', 'RECONNECT_REQUIRED'],
    ['FORBIDDEN', 'PERMISSION_DENIED'],
    ['INTERNAL_SERVER_ERROR', 'UPSTREAM_UNAVAILABLE'],
    ['BAD_USER_INPUT', 'UPSTREAM_REFUSED_INPUT'],
    ['A_LATER_CODE', 'UPSTREAM_INVALID_RESPONSE'],
    ['constructor', 'UPSTREAM_INVALID_RESPONSE'],
    [undefined, 'UPSTREAM_INVALID_RESPONSE'],
  ])('reads %s as %s, and keeps the platform’s text to itself', (code, ours) => {
    expect(() => readGraphqlResponse(failing(code), ORIGIN)).toThrow(
      expect.objectContaining({
        code: ours,
        message: expect.not.stringContaining('secret text'),
        extensions: expect.objectContaining({ service: 'waste-identity' }),
      }),
    );
  });

  it('lets a refused token explain whatever else failed with it', () => {
    const response = failing('INTERNAL_SERVER_ERROR', 'UNAUTHENTICATED');
    expect(() => readGraphqlResponse(response, ORIGIN)).toThrow(
      expect.objectContaining({ code: 'RECONNECT_REQUIRED' }),
    );
  });

  it('decides on the code, not on the message, which is in French and differs from the documented one', () => {
    const response = {
      errors: [{ message: "Vous n'êtes pas connecté.", path: ['me'], extensions: { code: 'UNAUTHENTICATED' } }],
      data: null,
    };
    expect(() => readGraphqlResponse(response, ORIGIN)).toThrow(
      expect.objectContaining({ code: 'RECONNECT_REQUIRED' }),
    );
  });

  it.each([
    [undefined],
    [null],
    ['Too Many Requests'],
    [[]],
    [{}],
    [{ data: null }],
    [{ data: [] }],
    [{ errors: ['x'] }],
  ])('refuses %j as no response of the platform', (json) => {
    expect(() => readGraphqlResponse(json, ORIGIN)).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    );
  });

  it('takes an empty list of errors for none', () => {
    const data = readGraphqlResponse({ data: { me: { id: 'u1', name: null } }, errors: [] }, ORIGIN);
    expect(data.me?.id).toBe('u1');
    expect(data.me?.name).toBeNull();
  });
});
