// `npm run drift -- --service NAME [--url URL] [--openapi URL]`: whether a live service still is as the code expects.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SERVICE_ENTRIES, SERVICES, type ServiceVariable } from '../../kernel/services.js';

/** Code of a diploma that will be open for years. */
const RNCP = 'RNCP37098';
const USAGE = `npm run drift -- --service NAME [--url URL] [--openapi URL]
  --service  ${SERVICES.join(', ')}
  --url      address of the service; by default the one in the variables that the product reads
  --openapi  its OpenAPI document, to compare with too
Ends with 0 without drift, 1 with drift, 2 if the service could not be probed.`;
const EXIT = { none: 0, drift: 1, unreachable: 2 } as const;

type Environment = Readonly<Record<string, string | undefined>>;
type Out = Pick<Console, 'log' | 'error'>;

/**
 * Runs `npm run drift` with these arguments and this environment. Returns its exit code: 0 without drift, 1 with drift,
 * 2 if the service could not be probed.
 */
export async function runDrift(args: readonly string[], env: Environment, out: Out): Promise<number> {
  try {
    return await compareService(args, env, out);
  } catch (error) {
    if (!isArgumentError(error)) return cannot(out, error instanceof Error ? error.message : String(error));
    out.error(`${error.message.split('. ')[0]}.\n${USAGE}`);
    return EXIT.unreachable;
  }
}

async function compareService(args: readonly string[], given: Environment, out: Out): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      service: { type: 'string' },
      url: { type: 'string' },
      openapi: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    out.log(USAGE);
    return EXIT.none;
  }
  const service = SERVICES.find((name) => name === values.service);
  if (service === undefined) return cannot(out, `--service is one of ${SERVICES.join(', ')}`);
  const entry = SERVICE_ENTRIES[service];
  const table: Readonly<Record<string, ServiceVariable>> = entry.variables;
  // Those without a default: what is probed are documented routes.
  const variables = Object.values(table).flatMap(({ name, byDefault }) => (byDefault === undefined ? [name] : []));
  const address = table[entry.baseUrl]?.name ?? '';
  const set = Object.fromEntries(variables.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
  const env: Record<string, string> = { ...set, ...(values.url !== undefined && { [address]: values.url }) };
  const missing = variables.filter((name) => !env[name]);
  if (missing.length > 0) return cannot(out, `${missing.join(', ')} must be set`);
  if (service === 'work-study' && !/\/api\/*$/.test(env[address] ?? ''))
    out.error(`${address} does not end with /api, below which the service has all its routes.`);
  // The token of an account at the service's platform; no other service receives it.
  const needsToken = entry.credential.kind === 'token';
  const token = (needsToken && given['DRIFT_TOKEN']) || null;
  if (needsToken && token === null) return cannot(out, 'DRIFT_TOKEN must be the token of an account');
  // Loads the whole product, which a mistyped argument should not have to wait for.
  const { watchDrift } = await import('./watch.js');
  const verdict = await watchDrift({ service, env, token, rncp: RNCP, openapi: values.openapi ?? null }, out.log);
  if (verdict.kind === 'not probed') return cannot(out, verdict.reason);
  const { drifts, calls, fields, detail } = verdict;
  out.log(`${calls} calls were made, ${fields} fields of the graph were looked at.`);
  for (const drift of drifts) out.log(`${drift.kind}: ${drift.fields.join(', ')} (${drift.message})`);
  if (detail !== null && drifts.length === 0) return cannot(out, `all of ${service}: ${detail}`);
  if (detail !== null) out.log(`${service}: ${detail}`);
  out.log(drifts.length === 0 ? 'No drift.' : `${drifts.length} drifts.`);
  return drifts.length === 0 ? EXIT.none : EXIT.drift;
}

function isArgumentError(error: unknown): error is NodeJS.ErrnoException {
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}

function cannot(out: Out, reason: string): number {
  out.error(`Could not probe: ${reason}.`);
  return EXIT.unreachable;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The toolkit's timers do not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  process.exitCode = await runDrift(process.argv.slice(2), process.env, console);
  clearInterval(alive);
}
