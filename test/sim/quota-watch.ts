import type { ClientCall } from './callers.js';
import type { Scheduler } from './scheduler.js';
import type { RefusedCall, Service } from './service.js';
import type { Sending } from './wire.js';
import type { World } from './world.js';

/** Watches whether quotas are respected, and whether refused callers learn when to retry (reliability 1). */
export interface QuotaWatch {
  ended(sending: Sending): void;
  /** Yields each rule that a refusal by the service breaks. */
  refused(sending: Sending, refused: RefusedCall): Iterable<string>;
  /** What is wrong with a refusal by the toolkit while this many callers wait with the same key; null if nothing is. */
  checkRetryAfter(call: ClientCall, waiting: number): string | null;
  /** When calls of a key ended, on whichever replica. */
  landings(key: string): readonly number[];
}

const WINDOW_MS = 60_000;
/** For so much longer the toolkit counts a call, because services round the end of a window. */
const GUARD_MS = 1_000;
/** Times are rounded to seconds, after the service has rounded its own. */
const SOONER_MS = 1_000;
/** The date that an epoch is compared with is rounded too, and a late response reports an outdated time (wire.ts). */
const LATER_MS = 3_000 + 2_200;
/** Refusals allowed, per process of the service, if someone else spends from the same key. */
const MOST_BY_STRANGERS = 10;
/** Refusals allowed for each outage of the store. */
const MOST_BY_OUTAGE = 8;
/** How long before a refusal's arrival a call may have been on its way. */
const ON_ITS_WAY_MS = 200;

export function watchQuota(
  world: World,
  { scheduler, service }: { scheduler: Scheduler; service: Service },
): QuotaWatch {
  const landings = new Map<string, number[]>();
  const refusals = new Map<Sending, RefusedCall>();
  const refusedCalls = new Map<string, number>();
  /** Windows with a refusal, and which replica received the first, and when. */
  const heard = new Map<string, { readonly process: Sending['process']; readonly atMs: number }>();
  const excused = excusedRefusals(world);
  const isPlain = plainlyCounted(world);

  return {
    landings: (key) => landings.get(key) ?? [],
    ended(sending) {
      const ofKey = landings.get(sending.key) ?? [];
      landings.set(sending.key, ofKey);
      ofKey.push(sending.endedMs!);
      const refused = refusals.get(sending);
      if (refused?.announced === true && sending.end === 'answered' && !heard.has(refused.window)) {
        heard.set(refused.window, { process: sending.process, atMs: scheduler.nowMs });
      }
    },
    *refused(sending, refused) {
      refusals.set(sending, refused);
      const ofKey = (refusedCalls.get(sending.key) ?? 0) + 1;
      refusedCalls.set(sending.key, ofKey);
      if (ofKey > excused) yield excused === 0 ? 'no refusal' : 'few refusals';
      const before = heard.get(refused.window);
      const knew = before !== undefined && (before.process === sending.process || world.storeFaults.length === 0);
      if (knew && sending.sentMs > before.atMs + ON_ITS_WAY_MS && before.process.alive) {
        yield 'never refused twice in a row';
      }
    },
    checkRetryAfter({ key, kind, end }, waiting) {
      if (end?.code !== 'RATE_LIMITED' || end.retryAfterSeconds === null) return null;
      // A service with an unknown limit gets one call, and the next only after its response.
      if (!world.service.documented) return null;
      // Behind others it may be a window later; and a replica in local fallback has only a small part of each window,
      // which it leaves to callers.
      const windows = waiting > 0 || world.storeFaults.length > 0 ? 2 : 1;
      if (end.retryAfterSeconds * 1000 > windows * WINDOW_MS + LATER_MS) return `told ${end.retryAfterSeconds} s`;
      if (!isPlain || kind === 'background') return null;
      const retryAfterMs = end.retryAfterSeconds * 1000;
      const nowMs = end.atMs;
      const guarded = (landings.get(key) ?? []).filter((ms) => ms > nowMs - WINDOW_MS - GUARD_MS);
      const counting = guarded.filter((ms) => ms > nowMs - WINDOW_MS);
      // Our oldest call stops counting, or the one behind those who wait, or the service's window ends: from outside,
      // it is not known which of them makes room.
      const inMs = [guarded[0], counting[0], counting[waiting]].map((ms) =>
        ms === undefined ? WINDOW_MS : ms + WINDOW_MS - nowMs,
      );
      const windowEndsMs = service.windowEndsMs(key);
      if (windowEndsMs !== null) inMs.push(windowEndsMs - nowMs);
      const [least, most] = [Math.max(0, Math.min(...inMs)) - SOONER_MS, Math.max(...inMs) + LATER_MS];
      return retryAfterMs < least || retryAfterMs > most
        ? `told ${retryAfterMs} ms, not ${Math.round(least)} to ${Math.round(most)}`
        : null;
    },
  };
}

/** How many refusals of one key a world excuses: none if only our own calls can cause one, and the store is there. */
function excusedRefusals({ service, stops, shared, storeFaults, outages }: World): number {
  const crashes = stops.some(({ kind }) => kind === 'crash');
  // A replica's record of what it spent is lost with it.
  if (crashes && (!shared || storeFaults.length > 0)) return Number.POSITIVE_INFINITY;
  // A slow store may be lost to some replicas only, which then count without each other (reliability 8.3).
  const strangers = service.stranger > 0 || storeFaults.some(({ kind }) => kind === 'slow');
  // When the store is lost in a burst, what the others sent since a replica last looked is not known to it.
  if (!strangers) return MOST_BY_OUTAGE * storeFaults.length;
  // What someone else spends is known only from headers.
  const isAnnounced = service.reset !== 'none' && service.missing === 0 && outages.length === 0;
  return isAnnounced ? MOST_BY_STRANGERS * service.processes : Number.POSITIVE_INFINITY;
}

/** Worlds in which the wire alone shows when a key has room again. */
function plainlyCounted({ service, stops, storeFaults, outages }: World): boolean {
  const { stranger, processes, slackMs, proxy } = service;
  const undisturbed = stops.length === 0 && storeFaults.length === 0 && stranger === 0;
  // A slow response's information about the window is outdated when it arrives.
  const prompt = outages.every(({ kind }) => kind !== 'slow');
  return undisturbed && prompt && processes === 1 && slackMs === 0 && !proxy;
}
