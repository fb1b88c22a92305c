import { describe, expect, it } from 'vitest';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { workStudyDialect } from '../../subgraphs/work-study/dialect.js';

const request = (method: 'GET' | 'POST' | 'PUT', path = '/job/v1/offer'): UpstreamRequest<unknown> => ({
  method,
  template: path,
  path,
  cache: 'never',
  key: 'caller',
  parse: () => null,
});

const read = (
  status: number,
  json: unknown,
  parts: { of?: UpstreamRequest<unknown>; headers?: Record<string, string> } = {},
) =>
  workStudyDialect.readFailure?.({ status, headers: parts.headers ?? {}, json, text: '' }, parts.of ?? request('POST'));

describe('workStudyDialect', () => {
  it('sends the key as a bearer token', () => {
    expect(workStudyDialect.headers('K', request('GET'))).toEqual({ authorization: 'Bearer K' });
  });

  it('tells the backend’s own limit on a write from the limit on calls', () => {
    const backend = { statusCode: 429, error: 'Too Many Requests', message: 'Maximum application per day reached' };
    const api = { statusCode: 429, name: 'Too Many Requests', message: 'Quota dépassé' };
    expect(read(429, backend)).toEqual({ code: 'BUSINESS_QUOTA' });
    expect(read(429, backend, { headers: { 'retry-after': '7' } })).toBeUndefined();
    expect(read(429, backend, { of: request('GET') })).toBeUndefined();
    expect(read(429, api, { headers: { 'retry-after': '7' } })).toBeUndefined();
    expect(read(429, undefined)).toBeUndefined();
  });

  it('takes a route that the service does not have for an outage, not for an unknown id', () => {
    const unknownRoute = {
      statusCode: 404,
      payload: { statusCode: 404, error: 'Not Found', message: 'Path does not exists' },
      headers: {},
    };
    expect(read(404, unknownRoute, { of: request('GET', '/job/v1/offer/{id}') })).toBeUndefined();
  });

  const API = { statusCode: 404, name: 'Not Found', message: "Aucune formation trouvée pour l'identifiant 7" };
  const BACKEND = { statusCode: 404, error: 'Not Found', message: "Aucune offre d'emploi trouvée pour l'ID: 7" };

  it.each([
    ['the API, for an id', API, request('GET', '/formation/v1/{id}')],
    ['the backend, for an id', BACKEND, request('GET', '/job/v1/offer/{id}')],
    [
      'the backend, for an update',
      { ...BACKEND, message: 'Job offer not found' },
      request('PUT', '/job/v1/offer/{id}'),
    ],
    [
      'the backend, for an appointment',
      { ...BACKEND, message: 'Training not found' },
      request('POST', '/formation/v1'),
    ],
  ])('takes a 404 of %s for an unknown id', (_whose, body, of) => {
    expect(read(404, body, { of })).toBe('unknown');
  });

  it.each([
    ['Kong', { message: 'no Route matched with those values' }],
    ['APISIX', { error_msg: '404 Route Not Found' }],
    ['Azure', { statusCode: 404, message: 'Resource not found' }],
    ['AWS', { message: 'Not Found' }],
    ['the proxy’s template', { statusCode: '404', message: 'Not Found', error: 'Reverse Proxy' }],
    ['fastify', { statusCode: 404, error: 'Not Found', message: 'Route GET:/job/v1/offer/7 not found' }],
    ['Nest', { statusCode: 404, error: 'Not Found', message: 'Cannot GET /job/v1/offer/7' }],
    ['Spring', { timestamp: '2026-11-26T00:00:00Z', status: 404, error: 'Not Found', path: '/job/v1/offer/7' }],
    ['Tyk', { error: 'Requested endpoint is forbidden' }],
  ])('takes a 404 of %s for no word about an id', (_whose, body) => {
    expect(read(404, body, { of: request('GET', '/job/v1/offer/{id}') })).toBeUndefined();
  });

  it('takes no 404 of a list for an unknown id: it has none of its own', () => {
    expect(read(404, API, { of: request('GET', '/certification/v1') })).toBeUndefined();
  });

  it('takes the backend’s 500 for an offer by id, and no other, for one that may be of that offer', () => {
    const own = { statusCode: 500, error: 'Internal Server Error', message: 'Une erreur est survenue' };
    const masked = { statusCode: 500, name: 'Internal Server Error', message: 'The server was unable' };
    const mayBe = (status: number, json: unknown, path = '/job/v1/offer/{id}') =>
      workStudyDialect.mayBeOfRecord?.({ status, headers: {}, json, text: '' }, request('GET', path));
    expect(mayBe(500, own)).toBe(true);
    expect([mayBe(500, masked), mayBe(503, own), mayBe(500, undefined), mayBe(500, own, '/job/v1/search')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('takes the backend’s 500 for an identifier that it cannot read for the caller’s mistake', () => {
    const said = (message: string) => ({ statusCode: 500, error: 'Internal Server Error', message });
    const refused = expect.objectContaining({ code: 'UPSTREAM_REFUSED_INPUT' });
    expect(read(500, said('Invalid collection name: nobody'))).toEqual(refused);
    expect(read(500, said('Invalid job identifier: 7'))).toEqual(refused);
    expect(read(500, said('Une erreur est survenue'), { of: request('PUT', '/job/v1/offer/7') })).toEqual(refused);
    expect(
      read(500, said('Une erreur est survenue'), { of: request('PUT', `/job/v1/offer/${'a'.repeat(24)}`) }),
    ).toBeUndefined();
    expect(read(500, said('Une erreur est survenue'))).toBeUndefined();
  });
});
