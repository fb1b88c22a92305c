import { afterAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { startSandbox } from '../../sandbox/index.js';
import { volunteeringDialect } from '../../subgraphs/volunteering/dialect.js';
import { wasteIdentityDialect } from '../../subgraphs/waste-identity/dialect.js';
import { workStudyDialect } from '../../subgraphs/work-study/dialect.js';
import { createOperation } from './support/operation.js';
import { createHarness, createToolkit, search } from './support/toolkit.js';

const FINE = { body: { good: true } };

describe('a readable answer of another form', () => {
  const misread = () => {
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'another form', { service: 'volunteering' });
  };

  it('to a query about one id tells of that id alone', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => FINE;
    const about = { path: '/v0/mission/m1', template: '/v0/mission/{id}' };
    for (let n = 0; n < 20; n += 1) {
      const call = toolkit.call(search({ ...about, parse: misread }), createOperation());
      await expect(call).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    }
    expect(await toolkit.call(search(about), createOperation())).toEqual({ good: true });
  });

  it('to a query that names none is an outage', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => FINE;
    for (let n = 0; n < 5; n += 1) await toolkit.call(search({ parse: misread }), createOperation()).catch(() => {});
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});

describe('our own probes', async () => {
  const sandbox = await startSandbox();
  afterAll(() => sandbox.close());
  const { workStudy, volunteering, waste, keys } = sandbox;
  const keyOf = (secret: string) => ({ fingerprint: 'operator', reveal: () => secret });
  const services = [
    { service: workStudy, dialect: workStudyDialect, secret: keys.workStudy.operator },
    { service: volunteering, dialect: volunteeringDialect, secret: keys.volunteering.operator },
    { service: waste, dialect: wasteIdentityDialect, secret: `${keys.waste.client.id}:${keys.waste.client.secret}` },
  ];

  it.each(services)('are answered by every group of routes: $service.origin', async ({ service, dialect, secret }) => {
    const toolkit = createToolkit(service.url, { dialect, operatorKey: keyOf(secret) });
    for (const era of ['today', 'seed'] as const) {
      service.era = era;
      for (const probe of Object.values(dialect.probes ?? {})) {
        const call = toolkit.call(
          { ...probe, key: 'operator', cache: 'never', parse: () => 'fine' },
          createOperation(),
        );
        expect(await call, probe.path).toBe('fine');
      }
    }
    await toolkit.close();
  });
});
