import { setMaxListeners } from 'node:events';
import type { OperationContext } from '../../kernel/operation.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { createKey } from '../rest/support/operation.js';
import type { Replica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import { GROUPS, type Sending } from './wire.js';

/** Items from this number on are requested only once. */
export const FIRST_OWN = 1_000;

/** What a caller wants. */
export interface Wish {
  readonly kind: 'search' | 'reference' | 'write' | 'background';
  readonly group: number;
  /** Number of the requested item; equal numbers make equal requests. */
  readonly item: number;
  readonly key: string;
  readonly deadlineMs: number;
  /** After how long the caller leaves without a response; null if they stay. */
  readonly leavesAfterMs: number | null;
  /** The same object for all wishes of one request. */
  readonly request: object;
  /** Whether it is the only wish of its request. */
  readonly alone: boolean;
}

/** A wish in progress, and how it ended. */
export interface ClientCall extends Wish {
  readonly replica: Replica;
  readonly path: string;
  readonly startMs: number;
  /** When its path was first on the wire after the call started; null before that. */
  sentMs: number | null;
  end: CallEnd | null;
}

export interface CallEnd {
  readonly atMs: number;
  readonly left: boolean;
  readonly value?: unknown;
  readonly code?: string;
  /** When the caller may retry, according to the refusal; null if it does not say. */
  readonly retryAfterSeconds: number | null;
  readonly row: UpstreamCall | null;
  readonly signal: AbortSignal;
}

function pathOf({ kind, group, item }: Pick<Wish, 'kind' | 'group' | 'item'>): string {
  const one = item >= FIRST_OWN ? 'once' : 'one';
  const place = { search: one, background: one, reference: 'list', write: 'apply' }[kind];
  return `${GROUPS[group]}/${place}/${item}`;
}

/** Reference data is fetched with the operator's key, whoever the caller is. */
export function keyOf(kind: Wish['kind'], key: string): string {
  return kind === 'reference' ? 'operator' : key;
}

/** Whether a call on the wire is for this caller. */
export function isFor({ replica, path, kind, key }: ClientCall, sending: Sending): boolean {
  return replica.process === sending.process && path === sending.path && keyOf(kind, key) === sending.key;
}

interface Hearer {
  readonly replica: Replica;
  readonly scheduler: Scheduler;
  readonly onEnd: (started: ClientCall) => void;
}

/** Calls a replica, and reports the end of the call. */
export function startCall(wish: Wish, { replica, scheduler, onEnd }: Hearer): ClientCall {
  const started: ClientCall = {
    ...wish,
    replica,
    path: pathOf(wish),
    startMs: scheduler.nowMs,
    sentMs: null,
    end: null,
  };
  const { name } = replica.process;
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal);
  let left = false;
  let row: UpstreamCall | null = null;
  const record = (one: UpstreamCall) => {
    row = one;
  };
  const leave = () => {
    left = true;
    controller.abort(new Error('The caller left.'));
  };
  const callOff =
    wish.leavesAfterMs === null
      ? () => {}
      : scheduler.after(wish.leavesAfterMs, { name: 'loses a caller', of: replica.process, run: leave });
  const finish = (end: Pick<CallEnd, 'value' | 'code' | 'retryAfterSeconds'>) => {
    callOff();
    started.end = { ...end, atMs: scheduler.nowMs, left, row, signal };
    scheduler.note(`${name} ends ${started.path}: ${end.code ?? row?.cache ?? 'a response'}`);
    onEnd(started);
  };
  replica.upstream.call(requestOf(wish), operationOf(started, { signal, record, scheduler })).then(
    (value) => finish({ value, retryAfterSeconds: null }),
    (error: { extensions?: { code?: string; retryAfterSeconds?: number } }) => {
      const { code = String(error), retryAfterSeconds = null } = error.extensions ?? {};
      finish({ code, retryAfterSeconds });
    },
  );
  return started;
}

function operationOf(
  { kind, key, request, startMs, deadlineMs }: ClientCall,
  { signal, record, scheduler }: { signal: AbortSignal; record: (row: UpstreamCall) => void; scheduler: Scheduler },
): OperationContext {
  return {
    requestId: 'request',
    request,
    deadline: { remainingMs: () => Math.max(0, startMs + deadlineMs - scheduler.nowMs) },
    signal,
    credential: keyOf(kind, key) === 'operator' ? null : createKey(key),
    internal: false,
    background: kind === 'background',
    planNode: '',
    recorder: { elapsedMs: () => scheduler.nowMs - startMs, record, readStored() {}, forbidCaching() {} },
  };
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
    ...(!write && { unknown: 'null' as const }),
    // A list, which the service may break off.
    streamed: wish.kind === 'reference',
    parse: ({ json, isCut }) => (Array.isArray(json) ? { ...json[0], ...(isCut === true && { isCut }) } : json),
  };
}
