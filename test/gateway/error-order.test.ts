import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ServiceName } from '../../kernel/services.js';
import { openGateway, reported, SHAPES } from './support/open-gateway.js';
import { unavailable } from './support/test-graph.js';

/** Guards the order of errors: that of their places, whenever each happened and wherever it was found. */

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  '{ missions { title commune { nom } } commune(insee: "1") { nom } }': [
    ...[0, 1].flatMap((index) => [`missions.${index}.title`, `missions.${index}.commune`]),
    'commune',
  ],
  '{ commune(insee: "1") { nom } ...M echo viewer { name } } fragment M on Query { missions { commune { nom } t: title } }':
    ['commune', ...[0, 1].flatMap((index) => [`missions.${index}.commune`, `missions.${index}.t`]), 'echo', 'viewer'],
  '{ viewer { name } missions { city communeMatch { method } commune { nom } } jobs { name } echo }': [
    'viewer',
    ...[0, 1].flatMap((index) => [`missions.${index}.communeMatch`, `missions.${index}.commune`]),
    'jobs',
    'echo',
  ],
};

test.each(SHAPES)('errors are in the order of their places, %s', async (shape) => {
  const failAfter = (turns: number, service: ServiceName) => async () => {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    throw unavailable(service);
  };
  const gateway = await openGateway({
    shape,
    resolvers: {
      volunteering: {
        Query: { missions: () => ['1', '2'].map((id) => ({ id, city: 'Rouen' })), echo: failAfter(2, 'volunteering') },
        Mission: { title: failAfter(30, 'volunteering') },
      },
      'work-study': {
        Query: { commune: failAfter(10, 'work-study'), jobs: failAfter(40, 'work-study') },
        Mission: { commune: failAfter(1, 'work-study'), communeMatch: failAfter(20, 'work-study') },
      },
      'waste-identity': { Query: { viewer: failAfter(25, 'waste-identity') } },
    },
  });
  for (const [query, places] of Object.entries(EXPECTED)) {
    const found = reported(await gateway.send(query)).map((line) => line.split(' ')[1]);
    expect(found, query).toEqual(places);
  }
  await gateway.close();
});
