// `npm run drift -- --service NAME [--url URL] [--openapi URL]`: whether a live service still is what the code relies on.

import { parseArgs } from 'node:util';
import { ConfigurationError } from '../../runtime/configuration/configuration.js';
import { SERVICES, type ServiceName } from '../../schema/services.js';
import { watchDrift } from './watch.js';

/** What each service is asked with, by the names that the product itself reads. */
const VARIABLES: Readonly<Record<ServiceName, readonly string[]>> = {
  'work-study': ['WORK_STUDY_URL', 'WORK_STUDY_API_KEY'],
  volunteering: ['VOLUNTEERING_URL', 'VOLUNTEERING_API_KEY'],
  'waste-identity': ['WASTE_API_URL', 'WASTE_AUTH_URL', 'WASTE_CLIENT_ID', 'WASTE_CLIENT_SECRET'],
};
/** Of a diploma that is open for years to come. */
const RNCP = 'RNCP37098';
const EXIT = { none: 0, drift: 1, unreachable: 2 } as const;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { service: { type: 'string' }, url: { type: 'string' }, openapi: { type: 'string' } },
  });
  const service = SERVICES.find((name) => name === values.service);
  if (service === undefined) return cannot(`--service is one of ${SERVICES.join(', ')}`);
  const variables = VARIABLES[service];
  const [address = ''] = variables;
  const set = Object.fromEntries(variables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const env: Record<string, string> = { ...set, ...(values.url !== undefined && { [address]: values.url }) };
  const missing = variables.filter((name) => !env[name]);
  if (missing.length > 0) return cannot(`${missing.join(', ')} must be set`);
  const token = process.env['DRIFT_TOKEN'] ?? null;
  if (service === 'waste-identity' && token === null) return cannot('DRIFT_TOKEN must be the token of an account');
  const verdict = await watchDrift({ service, env, token, rncp: RNCP, openapi: values.openapi ?? null }, console.log);
  if (verdict.kind === 'not asked') return cannot(verdict.reason);
  const { drifts, calls, fields } = verdict;
  console.log(`${calls} calls were made, ${fields} fields of the graph were looked at.`);
  for (const drift of drifts) console.log(`${drift.kind}: ${drift.fields.join(', ')} (${drift.message})`);
  console.log(drifts.length === 0 ? 'No drift.' : `${drifts.length} drifts.`);
  return drifts.length === 0 ? EXIT.none : EXIT.drift;
}

function cannot(reason: string): number {
  console.error(`Could not ask: ${reason}.`);
  return EXIT.unreachable;
}

// Waits of the toolkit do not keep a process alive.
const alive = setInterval(() => {}, 1_000);
process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof ConfigurationError) return cannot(error.message);
  return cannot(error instanceof Error ? error.message : String(error));
});
clearInterval(alive);
