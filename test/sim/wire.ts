import {
  type Transport,
  TransportFailure,
  type TransportFailureKind,
  type WireResponse,
} from '../../subgraphs/rest/ports/transport.js';
import type { Chance } from '../chance.js';
import type { Process, Scheduler } from './scheduler.js';
import type { RefusedCall, Service, ServiceResponse } from './service.js';
import type { FaultKind } from './world.js';

/** One request on the simulated wire, and how it ended. */
export interface Sending {
  readonly process: Process;
  readonly method: string;
  readonly path: string;
  readonly group: number;
  readonly key: string;
  readonly sentMs: number;
  /** The response; null while the request is open, or if there was none. */
  response: ServiceResponse | null;
  endedMs: number | null;
  /** How it ended; `left` if the toolkit itself closed the socket. */
  end: 'answered' | 'refused' | 'reset' | 'closed' | 'cut' | 'left' | null;
}

/** Watches the wire. */
export interface WireWatch {
  sent(sending: Sending): void;
  ended(sending: Sending): void;
  refused(sending: Sending, refused: RefusedCall): void;
}

export interface WireOptions {
  readonly process: Process;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly service: Service;
  readonly latencyMs: number;
  /** The replica's own clock, in milliseconds since 1970. */
  readonly wallMs: () => number;
  readonly watch: WireWatch;
}

/** Routes that fail together, by the prefix of their paths. */
export const GROUPS = ['/v0/mission', '/v0/organization'] as const;

/** A wire without sockets between one replica and the service. */
export function createWire(options: WireOptions): Transport {
  const { process, scheduler, chance, service, latencyMs, wallMs, watch } = options;
  const open = new Set<() => void>();

  return {
    send(request, signal) {
      if (signal.aborted) return Promise.reject(new TransportFailure('aborted', signal.reason));
      const path = request.url.pathname;
      const sending: Sending = {
        process,
        method: request.method,
        path,
        group: GROUPS.findIndex((group) => path.startsWith(group)),
        key: (request.headers['x-api-key'] ?? '').replace('secret-of-', ''),
        sentMs: scheduler.nowMs,
        response: null,
        endedMs: null,
        end: null,
      };
      scheduler.note(`${process.name} sends ${request.method} ${path} ${sending.key}`);
      watch.sent(sending);
      return new Promise<WireResponse>((resolve, reject) => {
        let over = false;
        const finish = (end: NonNullable<Sending['end']>, settle: () => void) => {
          if (over) return;
          over = true;
          signal.removeEventListener('abort', leave);
          open.delete(leave);
          sending.endedMs = scheduler.nowMs;
          sending.end = end;
          watch.ended(sending);
          settle();
        };
        const leave = () => finish('left', () => reject(new TransportFailure('aborted', signal.reason)));
        signal.addEventListener('abort', leave, { once: true });
        open.add(leave);
        carry(sending, request.takesCut === true, (end, response) => {
          if (response !== null) sending.response = response;
          finish(end, () =>
            response === null || end !== 'answered'
              ? reject(new TransportFailure(FAILURES[end]))
              : resolve(wireResponse(response, wallMs())),
          );
        });
      });
    },
    open: () => Promise.reject(new Error('Nothing is downloaded here.')),
    async close() {
      for (const leave of [...open]) leave();
    },
  };

  type Deliver = (end: Exclude<Sending['end'], 'left' | null>, response: ServiceResponse | null) => void;

  /** How much later a response is sent: by a slow service, or by one that has waited for a backend that hangs. */
  function heldMs(wrong: FaultKind | null): number {
    if (wrong === 'slow') return chance.between(1_000, 14_000);
    return wrong === 'hanging' ? chance.between(3_100, 9_500) : 0;
  }

  /** Carries a request to the service, and the outcome back to the replica. */
  function carry(sending: Sending, takesCut: boolean, deliver: Deliver): void {
    const back = (ms: number, end: Parameters<Deliver>[0], response: ServiceResponse | null) =>
      scheduler.after(ms, { name: `hears ${end} ${sending.path}`, of: process, run: () => deliver(end, response) });
    const wrong = service.fault(sending.group);
    // The service has closed the connection, and never sees the request.
    if (wrong === 'idle-reset') return void back(latencyMs, 'closed', null);
    if (wrong === 'refused') return void back(chance.between(1, 5), 'refused', null);
    scheduler.after(latencyMs * chance.between(0.2, 0.6), {
      name: `meets ${sending.path}`,
      of: null,
      run: () => {
        const { response, refused } = service.receive({ ...sending, wrong });
        if (refused !== null) watch.refused(sending, refused);
        const tailMs = chance.happens(0.05) ? chance.between(500, 2_000) : 0;
        const backMs = latencyMs * chance.between(0.4, 0.9) + tailMs;
        if (wrong === 'silent') return;
        if (wrong === 'reset') back(backMs, 'reset', null);
        else if (wrong === 'cut') back(backMs, 'cut', null);
        else if (wrong === 'broken-off' && !(takesCut && response.status === 200)) back(backMs, 'cut', null);
        else back(backMs + heldMs(wrong), 'answered', wrong === 'broken-off' ? brokenOff(response) : response);
      },
    });
  }
}

/** What is sent of a list before its connection is destroyed: its first item, and a part of the second. */
function brokenOff(response: ServiceResponse): ServiceResponse {
  return { ...response, body: response.body.slice(0, Math.ceil(response.body.length * 0.6)), isCut: true };
}

const FAILURES = {
  answered: 'unreadable',
  refused: 'refused',
  reset: 'reset',
  closed: 'reset',
  cut: 'cut',
} as const satisfies Record<string, TransportFailureKind>;

/** Adds the time of arrival, which only a mutant may look at. */
function wireResponse({ status, headers, body, isCut = false }: ServiceResponse, heardAtMs: number): WireResponse {
  return { status, headers: { ...headers, 'x-heard-at-ms': String(heardAtMs) }, body: Buffer.from(body), isCut };
}
