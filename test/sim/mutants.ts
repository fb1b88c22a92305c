/** A bug that the simulation must find: ten invented ones, and those that it found in the toolkit itself. */
export interface Mutant {
  readonly name: string;
  /** Path below `subgraphs/rest`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  /** A seed whose world finds the bug, and the promise that it breaks first. */
  readonly foundBy: number;
  readonly breaks: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a call that has ended stays in flight',
    file: 'stages/quota.ts',
    right: 'if (call.trail.sent > sentBefore) landAll(permits, call, failure);',
    wrong: 'if (call.trail.sent > sentBefore) void landAll;',
    foundBy: 1,
    breaks: 'no lease is left',
  },
  {
    name: 'the guard second is missing',
    file: 'quota/account-rules.ts',
    right: 'GUARD_MS = 1000',
    wrong: 'GUARD_MS = 0',
    foundBy: 7,
    breaks: 'accounts are equal',
  },
  {
    name: 'an epoch is compared with our own clock',
    file: 'ports/transport.ts',
    right: "const dateMs = parseHttpDate(headers['date']);\n  return dateMs === null ? null : clamp(reset",
    wrong: "const dateMs = Number(headers['x-heard-at-ms']);\n  return dateMs === null ? null : clamp(reset",
    foundBy: 113,
    breaks: 'retry-after is right',
  },
  {
    name: 'each replica takes the whole limit when the store is lost',
    file: 'quota/account-rules.ts',
    right: 'return ofOwn + Math.floor(Math.max(0, calls - leftToAbsent - ofOthers - ofOwn) / present);',
    wrong: 'return calls;',
    foundBy: 1556,
    breaks: 'no refusal',
  },
  {
    name: 'outcomes of calls from before the breaker opened count',
    file: 'circuit-breaker.ts',
    right: 'if (admitted === this.generation) this.settle(outcome, trial);',
    wrong: 'this.settle(outcome, trial);',
    foundBy: 62,
    breaks: 'breaker',
  },
  {
    name: 'an aborted trial never frees its place',
    file: 'stages/breaker.ts',
    right: 'return next({ ...call, trial: true }).finally(giveBack);',
    wrong: 'return next({ ...call, trial: true }).finally(() => { if (!call.signal.aborted) giveBack(); });',
    foundBy: 53,
    breaks: 'breakers close',
  },
  {
    name: 'after a successful trial all calls are let through at once',
    file: 'circuit-breaker.ts',
    right: 'this.atOnce = 1;',
    wrong: 'this.atOnce = AT_ONCE_CLOSED - 1;',
    foundBy: 36,
    breaks: 'breaker',
  },
  {
    name: 'jitter shortens a time that the service named',
    file: 'stages/attempts.ts',
    right: 'return jitterMs + (namedMs ?? 0) * 1000;',
    wrong: 'return namedMs === null ? jitterMs : Math.max(jitterMs, namedMs * 1000 - jitterMs);',
    foundBy: 56,
    breaks: 'patience',
  },
  {
    name: 'the first caller to leave aborts the call for the others',
    file: 'stages/cache.ts',
    right: 'fly(first);\n  return {',
    wrong: "fly(first);\n    first.signal.addEventListener('abort', () => controller.abort());\n  return {",
    foundBy: 1,
    breaks: 'leaves no listener',
  },
  {
    name: 'a failed refresh is retried immediately',
    file: 'stages/cache.ts',
    right: 'const held = refresher.heldBack(call, breaker.lastSuccessMs);',
    wrong: 'const held = null;',
    foundBy: 1,
    breaks: 'patience',
  },
  {
    name: 'a trial without a response is not counted',
    file: 'stages/breaker.ts',
    right: 'clock.after(waitMs + TRIAL_MS, leaveUnsent)',
    wrong: 'clock.after(waitMs, () => controller.abort())',
    foundBy: 253,
    breaks: 'breaker',
  },
  {
    name: 'a retry is free',
    file: 'stages/attempts.ts',
    right: 'if (!budget.spend(call.trail.head?.status === 504 ? COST_AFTER_TIMEOUT : COST)) throw failure;',
    wrong: '',
    foundBy: 170,
    breaks: 'retries keep to their budget',
  },
  {
    name: 'a request of many calls goes before all later ones',
    file: 'quota/fair-queue.ts',
    right: 'const start = Math.max(this.turn, this.nextTurns.get(request) ?? 0);',
    wrong: 'const start = this.turn;',
    foundBy: 25,
    breaks: 'requests take turns',
  },
  {
    name: 'an error response is cached',
    file: 'stages/attempts.ts',
    right: 'if (wire.status >= 200 && wire.status < 300)',
    wrong: 'if (wire.status >= 200)',
    foundBy: 4,
    breaks: 'errors are not cached',
  },
  {
    name: 'stale entries are served for an hour',
    file: 'cache/response-cache.ts',
    right: 'staleMs: 10 * MINUTE_MS',
    wrong: 'staleMs: 60 * MINUTE_MS',
    foundBy: 1,
    breaks: 'stale has an end',
  },
  {
    name: 'a refusal says to retry immediately',
    file: 'stages/quota.ts',
    right: 'this.options.refuse(grant.retryInMs(ahead))',
    wrong: 'this.options.refuse(0)',
    foundBy: 113,
    breaks: 'retry-after is right',
  },
  {
    name: 'what was counted locally is never merged',
    file: 'quota/ledger.ts',
    right: "    this.unmerged = this.current;\n    this.version = '';\n",
    wrong: '',
    foundBy: 5,
    breaks: 'the store is shared again',
  },
];
