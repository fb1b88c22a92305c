import { CodedError } from '../../../kernel/errors.js';
import type { ServiceName } from '../../../kernel/services.js';
import { type Call, isBackground, type Stage, turnOf } from '../call.js';
import { deadlineExceeded } from '../failures.js';
import { sleep } from '../ports/ports.js';
import { TransportFailure } from '../ports/transport.js';
import type { QuotaScope } from '../quota/account.js';
import { createSlots } from '../quota/fair-queue.js';
import { LIGHT_ROWS } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Concurrent slow calls: each keeps a processor of the service's database busy for seconds (volunteering 4.4). */
const SLOW_AT_ONCE = 2;
/** Most rows in flight of all heavy calls together, of all replicas: a permit is for as many as a light call may have. */
const MOST_ROWS = 1000;
const ROWS: QuotaScope = { kind: 'permits', name: 'rows', limit: MOST_ROWS / LIGHT_ROWS };
/** What a row takes of the service's only thread: a page of a thousand takes 0.26 s (volunteering 6). */
const MS_PER_ROW = 0.26;
/** A call that has its permits but not its quota gives them up after so long. */
const UNSENT_MS = 2000;
/** Those of other replicas come free without notice. */
const LOOK_AGAIN_MS = 25;
/** A reservation outlives the longest attempt: it is ended when the call is, unless the process dies. */
const LEASE_MS = 30_000;

/**
 * Makes slow calls wait for one of few places, and heavy ones for a permit for each row: a service answers large lists
 * one after the other, and goes on with those that were given up. So such a call is not begun if it cannot end in time,
 * and an abandoned one keeps its permits as long as its rows take (reliability 3.1). Comes before the quota, of which a
 * waiting call takes nothing.
 */
export function permits(parts: ServiceParts): Stage {
  const { service, clock, replica } = parts;
  const slots = createSlots(() => MOST_ROWS);
  const ofSlow = createSlots(() => SLOW_AT_ONCE);
  let ids = 0;
  return (next) => async (call) => {
    const { rows = 1, cache } = call.request;
    const queuedAtMs = clock.monotonicMs();
    const noteQueued = () => {
      call.trail.queuedMs += clock.monotonicMs() - queuedAtMs;
    };
    if (cache === 'slow') {
      const leave = await ofSlow.enter({ ...turnOf(call), signal: call.signal }, isBackground(call));
      noteQueued();
      // Of many callers who leave together, each is let go in a turn of its own.
      const isLate = call.deadline.remainingMs() <= 0;
      return (isLate ? Promise.reject(deadlineExceeded(service, call.signal.reason)) : next(call)).finally(leave);
    }
    if (rows <= LIGHT_ROWS) return next(call);
    const takesMs = Math.ceil(rows * MS_PER_ROW);
    const sentBefore = call.trail.sent;
    const isSent = () => call.trail.sent > sentBefore;
    const late = new AbortController();
    const signal = AbortSignal.any([call.signal, late.signal]);
    let neededMs = takesMs;
    const giveUp = () => isSent() || late.abort();
    const startBy = (ahead: number) => {
      neededMs = ahead * MS_PER_ROW + takesMs;
      if (neededMs > call.deadline.remainingMs()) giveUp();
    };
    const cancels = [clock.after(call.deadline.remainingMs() - takesMs, giveUp)];
    const releases: Release[] = [];
    ids += 1;
    const id = `${replica}.${ids}`;
    try {
      startBy(0);
      const leave = await slots.enter({ ...turnOf(call), signal, onWait: startBy }, isBackground(call), rows);
      releases.push((keepMs) => void (keepMs > 0 ? clock.after(keepMs, leave) : leave()));
      releases.push(await reserve(parts, { id, rows, signal }));
      cancels.push(clock.after(UNSENT_MS, giveUp));
      noteQueued();
      return await next({ ...call, signal });
    } catch (error) {
      throw late.signal.aborted ? tooMany(service, neededMs) : error;
    } finally {
      for (const cancel of cancels) cancel();
      const keepMs = isSent() && !isAnswered(call) ? takesMs : 0;
      for (const release of releases.reverse()) release(keepMs);
    }
  };
}

/** Gives permits back after so many milliseconds. */
type Release = (keepMs: number) => void;

/** Reserves rows among all replicas, in the log that also counts their calls. */
async function reserve(
  { ledger, namespace, clock }: ServiceParts,
  { id, rows, signal }: { readonly id: string; readonly rows: number; readonly signal: AbortSignal },
): Promise<Release> {
  if (!ledger.isShared) return () => {};
  const account = ledger.open({ ...ROWS, name: `${namespace} ${ROWS.name}` });
  const ids = Array.from({ length: Math.ceil(rows / LIGHT_ROWS) }, (_, row) => `${id}.${row}`);
  const leave = () => void account.drop(ids);
  try {
    while ((await account.take({ ids, leaseMs: LEASE_MS, headroom: 0, all: true })).granted === 0)
      await sleep(LOOK_AGAIN_MS, clock, signal);
  } catch (reason) {
    throw new TransportFailure('aborted', reason);
  }
  return (keepMs) => void (keepMs > 0 ? clock.after(keepMs, leave) : leave());
}

/** Whether the service is known to have done with it: a proxy may give up before. */
function isAnswered({ trail }: Call): boolean {
  return trail.head !== null && trail.head.status < 500;
}

function tooMany(service: ServiceName, neededMs: number): CodedError {
  const message = `So many rows of large lists are being read from ${service} that this one could not end in time.`;
  return new CodedError('RATE_LIMITED', message, { service, retryAfterSeconds: Math.ceil(neededMs / 1000) });
}
