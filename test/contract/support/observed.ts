import { expect } from 'vitest';
import type { Fault, SandboxService } from '../../../sandbox/server/types.js';

/** One fact about a running service: what was requested, and what it answered (docs/upstreams, *observed*). */
export interface Observed {
  readonly fact: string;
  /** `GET` if left out. */
  readonly method?: string;
  /** Path and query below the service's base address. */
  readonly path: string;
  /** Headers instead of the operator's key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What has to be wrong for it. */
  readonly fault?: Fault;
  readonly status: number;
  /** The body: parsed JSON, or its text if this is one. Asymmetric matchers stand for what is not part of the fact. */
  readonly body?: unknown;
  /** Whether the call was counted, so that `x-ratelimit-*` say what is left; not looked at if left out. */
  readonly counted?: boolean;
}

/** Fails unless the service answers as observed. */
export async function checkObserved(service: SandboxService, one: Observed, key: Readonly<Record<string, string>>) {
  const { method = 'GET', path, headers = key, fault, status, body, counted } = one;
  const end = fault === undefined ? () => {} : service.fault(fault);
  const response = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' });
  end();
  const text = await response.text();
  expect([response.status, typeof body === 'string' ? text : parsed(text)]).toEqual([
    status,
    body ?? expect.anything(),
  ]);
  if (counted !== undefined) expect(response.headers.has('x-ratelimit-remaining')).toBe(counted);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
