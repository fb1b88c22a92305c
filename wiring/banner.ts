import type { Configuration } from '../runtime/configuration/configuration.js';
import { isSubgraph } from '../runtime/configuration/role.js';
import { hintsOf } from '../sandbox/hints.js';
import type { Sandbox } from '../sandbox/index.js';

/** The banner of a started process: where it listens, and what to try. */
export function banner(
  { url, sandbox }: { readonly url: string; readonly sandbox: Sandbox | null },
  { role, graphiql }: Configuration,
): string {
  const isGateway = !isSubgraph(role);
  const lines = [
    ...(isGateway && graphiql ? [`to explore:  ${url}/graphiql`] : []),
    ...(sandbox === null ? [] : ['sources:     SANDBOX – invented data on this machine; no real service is called']),
    ...(sandbox !== null && isGateway ? hintsOf(sandbox, url) : []),
  ];
  return [
    `\nPasserelle answers at ${isGateway ? `${url}/graphql` : url}`,
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n');
}
