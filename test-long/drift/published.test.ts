import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ServiceName } from '../../kernel/services.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { certificationIn, watchDrift } from '../../scripts/drift/watch.js';

/** What the services publish about themselves lies beside the repository, or where this variable says. */
const FOLDER =
  process.env['TEST_OPENAPI'] ?? fileURLToPath(new URL('../../../shared/upstreams/openapi/', import.meta.url));
const FILES = { volunteering: 'volunteering.yaml', 'work-study': 'work-study.json' } as const;
const isThere = existsSync(FOLDER);
if (!isThere) console.log('left out: the documents that the services publish, whose folder TEST_OPENAPI names');

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ scale: 0.1 });
});
afterAll(() => sandbox.close());

/** The drifts of a sandbox service whose published document is this text. */
async function driftsBeside(document: string, service: ServiceName = 'volunteering'): Promise<string[]> {
  const server = createServer((_request, response) => response.end(document)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const openapi = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const live = { service, env: variablesOf(sandbox), token: null, rncp: certificationIn(sandbox), openapi };
  const verdict = await watchDrift(live, () => {});
  server.close();
  if (verdict.kind === 'not probed') return [verdict.reason];
  return verdict.drifts.flatMap(({ kind, fields, message }) => fields.map((field) => `${kind} ${field}: ${message}`));
}

const ROUTES = (mission: string, organizations = '/v0/organization') => `
openapi: 3.0.3
paths:
  /v0/mission:
    get: { responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Page' } } } } } }
  /v0/mission/search: { get: {} }
  ${organizations}: { get: {} }
components:
  schemas:
    Page:
      type: object
      required: [data]
      properties:
        total: { type: integer }
        data: { type: array, items: { allOf: [{ $ref: '#/components/schemas/Mission' }] } }
    Mission:
      type: object
      ${mission}
`;

describe('The published OpenAPI document', () => {
  it('is read as YAML, and names the one root field of a route that it lacks', async () => {
    const document = ROUTES('properties: { _id: { type: string } }', '/v0/organisation');
    expect(await driftsBeside(document)).toEqual([
      'route Query.organizations: the published OpenAPI has no GET /v0/organization',
    ]);
  });

  it('is compared by what its schemas require, what may be null, and their types and words', async () => {
    const document = ROUTES(`required: [title]
      properties:
        _id: { type: string }
        title: { type: integer }
        remote: { type: string, enum: ['no', 'on the moon'] }
        places: { type: integer, nullable: true }
        tags: { type: array, items: { type: string, nullable: true } }`);
    const allows = 'the published OpenAPI allows another type, null or nothing';
    expect((await driftsBeside(document)).sort()).toEqual([
      `schema Mission._id: ${allows}`,
      'schema Mission.remote: the published OpenAPI allows a word that no document has',
      `schema Mission.tags: ${allows}`,
      `schema Mission.title: ${allows}`,
    ]);
  });

  it('is said not to be readable where it is none', async () => {
    expect(await driftsBeside('a: [')).toEqual(['the OpenAPI document cannot be read']);
    expect(await driftsBeside('just a text')).toEqual(['the OpenAPI document cannot be read']);
  });

  it.skipIf(!isThere).each(Object.entries(FILES))('is what the code expects, for %s', async (service, file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    expect(await driftsBeside(text, service as ServiceName)).toEqual([]);
    // The same document in the other notation.
    if (file.endsWith('.yaml')) expect(await driftsBeside(JSON.stringify(parse(text)))).toEqual([]);
  });
});
