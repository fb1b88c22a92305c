import { type Call, type CallResponse, isBackground, type Stage } from '../call.js';
import { deadlineExceeded } from '../failures.js';
import type { ServiceParts } from './service-parts.js';

/** A call in flight and its waiting callers. */
interface Flight {
  readonly response: Promise<CallResponse>;
  readonly waiting: Set<Call>;
  /** Ends the call. */
  stop(reason: unknown): void;
  /** A caller now waits for what started as background work: unless that is already sent, their call replaces it. */
  promote(call: Call): void;
}

/**
 * Coalesces equal calls in flight. The last caller to leave closes the socket; any other departure changes nothing, not
 * even the first caller's. Each caller's own deadline is watched here. Calls of class `never` are not shared.
 */
export function coalesce({ service, clock }: ServiceParts): Stage {
  const flights = new Map<string, Flight>();

  return (next) => async (call) => {
    // The caller may have left while the cache was read.
    if (call.signal.aborted) throw deadlineExceeded(service, call.signal.reason);
    const shared = call.request.cache !== 'never';
    const known = shared ? flights.get(call.identity) : undefined;
    if (known !== undefined) {
      call.trail.cache = 'COALESCED';
      known.waiting.add(call);
      known.promote(call);
      return waitFor(known, call);
    }
    const flight = startFlight(call, next);
    if (shared) {
      flights.set(call.identity, flight);
      void flight.response.catch(() => {}).finally(() => forget(call.identity, flight));
    }
    return waitFor(flight, call);
  };

  function forget(identity: string, flight: Flight): void {
    if (flights.get(identity) === flight) flights.delete(identity);
  }

  /** The flight's response, unless the caller leaves or runs out of time first. */
  function waitFor(flight: Flight, call: Call): Promise<CallResponse> {
    flight.waiting.add(call);
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        // An aborted signal has dropped its listeners already, and finding one among thousands takes long.
        if (!call.signal.aborted) call.signal.removeEventListener('abort', leaveSoon);
        flight.waiting.delete(call);
      };
      const leave = () => {
        if (!flight.waiting.has(call)) return;
        stop();
        reject(deadlineExceeded(service, call.signal.reason));
        if (flight.waiting.size > 0) return;
        forget(call.identity, flight);
        flight.stop(call.signal.reason);
      };
      const cancel = clock.after(call.deadline.remainingMs(), leave);
      const leaveSoon = () => clock.soon(leave);
      call.signal.addEventListener('abort', leaveSoon, { once: true });
      flight.response.then(resolve, reject).finally(stop);
    });
  }
}

/** Starts a flight for its first caller. Its deadline is the latest of its waiting callers' deadlines. */
function startFlight(first: Call, next: (call: Call) => Promise<CallResponse>): Flight {
  const waiting = new Set([first]);
  const deadline = {
    remainingMs() {
      let latest = 0;
      for (const one of waiting) latest = Math.max(latest, one.deadline.remainingMs());
      return latest;
    },
  };
  let flying = first;
  let controller = new AbortController();
  let settle: { resolve(response: CallResponse): void; reject(reason: unknown): void };
  const response = new Promise<CallResponse>((resolve, reject) => {
    settle = { resolve, reject };
  });

  function fly(call: Call): void {
    flying = call;
    const own = new AbortController();
    controller = own;
    next({ ...call, signal: own.signal, stop: () => own.abort(), deadline }).then(
      (value) => flying === call && settle.resolve(value),
      (reason) => flying === call && settle.reject(reason),
    );
  }

  fly(first);
  return {
    response,
    waiting,
    stop: (reason) => controller.abort(reason),
    promote(call) {
      if (!isBackground(flying) || isBackground(call) || flying.trail.sent > 0) return;
      const replaced = controller;
      fly(call);
      replaced.abort();
    },
  };
}
