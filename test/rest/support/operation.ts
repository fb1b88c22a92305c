import { setMaxListeners } from 'node:events';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { UpstreamCall } from '../../../kernel/trace.js';

export interface TestOperation extends OperationContext {
  readonly rows: UpstreamCall[];
  /** The caller leaves. */
  leave(): void;
}

/** An operation as the gateway passes it on, whose recorded calls can be read. */
export function createOperation(
  parts: { credential?: Credential | null; remainingMs?: () => number; elapsedMs?: () => number } = {},
): TestOperation {
  const controller = new AbortController();
  // As in the gateway, because each call of a request adds a listener.
  setMaxListeners(0, controller.signal);
  const rows: UpstreamCall[] = [];
  return {
    requestId: 'request',
    request: {},
    deadline: { remainingMs: parts.remainingMs ?? (() => 25_000) },
    signal: controller.signal,
    credential: parts.credential ?? null,
    internal: false,
    planNode: 'missions.nodes.@',
    recorder: {
      elapsedMs: parts.elapsedMs ?? (() => 0),
      record: (row) => rows.push(row),
      readStored() {},
      forbidCaching() {},
    },
    rows,
    leave: () => controller.abort(new Error('The caller left.')),
  };
}

/** A key whose fingerprint is its name. */
export function createKey(name: string): Credential {
  return { fingerprint: `fingerprint-of-${name}`, reveal: () => `secret-of-${name}` };
}
