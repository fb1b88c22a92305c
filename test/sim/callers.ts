import { setMaxListeners } from 'node:events';
import type { UpstreamCall } from '../../schema/trace.js';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { createKey } from '../rest/support/operation.js';
import type { Replica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import { GROUPS } from './wire.js';

/** Things up to this number many ask for, so that calls are shared, kept and renewed; any other is asked for once. */
export const POPULAR = 6;

/** What somebody asks for. */
export interface Wish {
  readonly kind: 'search' | 'reference' | 'write' | 'background';
  readonly group: number;
  /** Number of the thing asked for; equal numbers are equal questions. */
  readonly item: number;
  readonly key: string;
  readonly deadlineMs: number;
  /** When he leaves without waiting for the answer; null when he stays. */
  readonly leavesAfterMs: number | null;
  /** Equal for wishes of one request. */
  readonly request: object;
}

/** A wish on its way, and how it ended. */
export interface Asked extends Wish {
  readonly replica: Replica;
  readonly path: string;
  readonly startMs: number;
  /** First time that the wire saw its path since it was asked; null before. */
  sentMs: number | null;
  end: AskedEnd | null;
}

export interface AskedEnd {
  readonly atMs: number;
  readonly left: boolean;
  readonly value?: unknown;
  readonly code?: string;
  readonly row: UpstreamCall | null;
  readonly signal: AbortSignal;
}

export function pathOf({ kind, group, item }: Pick<Wish, 'kind' | 'group' | 'item'>): string {
  const one = item > POPULAR ? 'once' : 'one';
  const place = { search: one, background: one, reference: 'list', write: 'apply' }[kind];
  return `${GROUPS[group]}/${place}/${item}`;
}

/** Asks a replica, and hears how it ends. */
export function ask(
  wish: Wish,
  { replica, scheduler, onEnd }: { replica: Replica; scheduler: Scheduler; onEnd: (asked: Asked) => void },
): Asked {
  const asked: Asked = { ...wish, replica, path: pathOf(wish), startMs: scheduler.nowMs, sentMs: null, end: null };
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let left = false;
  let row: UpstreamCall | null = null;
  const record = (one: UpstreamCall) => {
    row = one;
  };
  const own = wish.kind === 'reference' || wish.key === 'operator' ? null : createKey(wish.key);
  const finish = (end: { value?: unknown; code?: string }) => {
    callOff();
    asked.end = { ...end, atMs: scheduler.nowMs, left, row, signal: controller.signal };
    scheduler.note(`${replica.process.name} ends ${asked.path} ${end.code ?? 'with an answer'}`);
    onEnd(asked);
  };
  const leave = () => {
    left = true;
    controller.abort(new Error('The caller left.'));
  };
  const callOff =
    wish.leavesAfterMs === null
      ? () => {}
      : scheduler.after(wish.leavesAfterMs, { name: 'a caller leaves', of: replica.process, run: leave });
  replica.upstream
    .call(requestOf(wish), {
      requestId: 'request',
      request: wish.request,
      deadline: { remainingMs: () => Math.max(0, asked.startMs + wish.deadlineMs - scheduler.nowMs) },
      signal: controller.signal,
      credential: own,
      internal: false,
      background: wish.kind === 'background',
      planNode: '',
      ledger: { elapsedMs: () => scheduler.nowMs - asked.startMs, record },
    })
    .then(
      (value) => finish({ value }),
      (error: { extensions?: { code?: string } }) => finish({ code: error.extensions?.code ?? String(error) }),
    );
  return asked;
}

function requestOf(wish: Wish): UpstreamRequest<unknown> {
  const path = pathOf(wish);
  const write = wish.kind === 'write';
  return {
    method: write ? 'POST' : 'GET',
    template: path,
    path,
    ...(write && { body: { item: wish.item } }),
    cache: wish.kind === 'reference' ? 'reference' : write ? 'never' : 'search',
    key: wish.kind === 'reference' ? 'operator' : write ? 'caller' : 'caller-or-operator',
    parse: ({ json }) => json,
  };
}
