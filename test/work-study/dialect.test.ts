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
    expect(read(404, unknownRoute, { of: request('GET') })).toEqual({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(
      read(404, { statusCode: 404, error: 'Not Found', message: "Aucune offre d'emploi trouvée" }),
    ).toBeUndefined();
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
