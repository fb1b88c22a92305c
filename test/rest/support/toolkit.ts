import type { CodedError } from '../../../kernel/errors.js';
import { isRecord } from '../../../kernel/text.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { type Ports, systemClock } from '../../../subgraphs/rest/ports/ports.js';
import { createUndiciTransport } from '../../../subgraphs/rest/ports/transport.js';
import { createUpstream } from '../../../subgraphs/rest/stages/create-upstream.js';
import type { UpstreamOptions } from '../../../subgraphs/rest/stages/service-parts.js';
import type { UpstreamRequest, UpstreamService } from '../../../subgraphs/rest/upstream.js';
import { createFakeTransport } from './fake-transport.js';
import { createKey } from './operation.js';
import { createVirtualClock } from './virtual-clock.js';

export interface Toolkit extends UpstreamService {
  readonly rows: { readonly row: UpstreamCall; readonly error: CodedError | null }[];
  readonly drifts: string[];
}

/** The whole toolkit for a base address; parts of it may be replaced. */
export function createToolkit(
  baseUrl: string,
  options: Partial<UpstreamOptions> = {},
  ports: Partial<Ports> = {},
): Toolkit {
  const rows: Toolkit['rows'] = [];
  const drifts: string[] = [];
  const upstream = createUpstream(
    {
      service: 'volunteering',
      baseUrl,
      mode: 'real',
      operatorKey: createKey('operator'),
      dialect: {
        headers: (secret) => ({ 'x-api-key': secret }),
        readFailure: ({ status, json }) =>
          status === 404 && isRecord(json) && json['code'] === 'NOT_FOUND' ? 'unknown' : undefined,
      },
      onCall: (row, error) => rows.push({ row, error }),
      onDrift: (_service, place) => drifts.push(place),
      ...options,
    },
    {
      clock: systemClock,
      random: () => 0.5,
      transport: createUndiciTransport({ connections: 32 }),
      sharedStore: null,
      privateStore: null,
      versionStore: null,
      sharedQuota: null,
      ...ports,
    },
  );
  return Object.assign(upstream, { rows, drifts });
}

/** A request for missions, whose value is the parsed body. */
export function search(parts: Partial<UpstreamRequest<unknown>> = {}): UpstreamRequest<unknown> {
  return {
    method: 'GET',
    template: '/v0/mission',
    path: '/v0/mission',
    cache: 'search',
    key: 'caller-or-operator',
    parse: ({ json }) => json,
    ...parts,
  };
}

/** The toolkit on a virtual clock and a wire without sockets. */
export function createHarness(options: Partial<UpstreamOptions> = {}, ports: Partial<Ports> = {}) {
  const clock = createVirtualClock();
  const transport = createFakeTransport();
  const toolkit = createToolkit('http://service.test', options, { clock, transport, ...ports });
  return { clock, transport, toolkit };
}
