import { describe, expect, it } from 'vitest';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { volunteeringDialect } from '../../subgraphs/volunteering/dialect.js';

const request = (template = '/v0/mission'): UpstreamRequest<unknown> => ({
  method: 'GET',
  template,
  path: template,
  cache: 'search',
  key: 'caller-or-operator',
  parse: () => null,
});

const reading = (status: number, json: unknown, template?: string) =>
  volunteeringDialect.readFailure?.({ status, headers: {}, json, text: '' }, request(template));

describe('volunteeringDialect', () => {
  it('sends the key under both names that the seed documents, with the same value', () => {
    expect(volunteeringDialect.headers('K', request())).toEqual({ 'x-api-key': 'K', apikey: 'K' });
  });

  it('takes NOT_FOUND for an unknown id, also without a message', () => {
    expect(reading(404, { ok: false, code: 'NOT_FOUND' }, '/v0/mission/{id}')).toBe('unknown');
  });

  it.each([{ message: 'no Route matched with those values' }, { code: 'NOT_FOUND' }, { ok: false }])(
    'takes %j of a proxy for no word about an id',
    (body) => {
      expect(reading(404, body, '/v0/mission/{id}')).toBeUndefined();
    },
  );

  it('takes no 404 of the lists for an unknown record: neither has one', () => {
    const body = { ok: false, code: 'NOT_FOUND' };
    expect(reading(404, body, '/v0/mission')).toBeUndefined();
    expect(reading(404, body, '/v0/organization')).toBeUndefined();
  });

  it('takes the 403 of the older service for an unknown id, but only where an id was requested', () => {
    const body = { ok: false, data: null, error: 'Id not valid' };
    expect(reading(403, body, '/v0/mission/{id}')).toBe('unknown');
    expect(reading(403, body, '/v0/mission')).toBeUndefined();
    expect(reading(403, { ok: false, code: 'FORBIDDEN' }, '/v0/mission/{id}')).toBeUndefined();
  });

  it('reads what is wrong with a query from an object with issues', () => {
    const message = {
      issues: [{ code: 'invalid_type', path: ['limit'], message: 'Expected number, received nan' }],
      name: 'ZodError',
    };
    expect(reading(400, { ok: false, code: 'INVALID_QUERY', message })).toEqual({
      code: 'UPSTREAM_REFUSED_INPUT',
      message: 'The volunteering service refused limit: Expected number, received nan.',
    });
  });

  it('reads it from issues that are JSON text inside the message', () => {
    const issues = [{ path: ['limit'], message: 'Too big: expected number to be <=10000' }];
    const message = { name: 'ZodError', message: JSON.stringify(issues) };
    expect(reading(400, { ok: false, code: 'INVALID_QUERY', message })).toMatchObject({
      message: 'The volunteering service refused limit: Too big: expected number to be <=10000.',
    });
  });

  it.each([
    ['text', 'Invalid query'],
    ['absent', undefined],
    ['something else', { name: 'ZodError', message: 'no JSON' }],
    ['issues of another form', { issues: ['limit', { path: 'limit' }] }],
  ])('leaves a message that is %s to the common rules', (_name, message) => {
    expect(reading(400, { ok: false, code: 'INVALID_QUERY', message })).toBeUndefined();
  });

  it('tells a key that nothing is diffused to apart from a mistake of the caller', () => {
    expect(reading(400, { ok: false, code: 'NO_PARTNER', message: 'Vous n’avez pas accès' })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('leaves plain text, HTML and everything else to the common rules', () => {
    expect(reading(401, undefined)).toBeUndefined();
    expect(reading(404, undefined, '/v0/mission/{id}')).toBeUndefined();
    expect(reading(500, { ok: false, code: 'SERVER_ERROR' })).toBeUndefined();
  });
});
