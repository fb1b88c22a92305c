import type { SandboxCall } from './types.js';

/** The calls that one service received. */
export interface CallLog {
  readonly calls: readonly SandboxCall[];
  /** Records a call on arrival. */
  open(call: SandboxCall): void;
  /** Notifies waiting tests that a call has changed. */
  changed(call: SandboxCall): void;
  lines(): string[];
  unknownPaths(): string[];
  seen(match: (call: SandboxCall) => boolean): Promise<SandboxCall>;
  clear(): void;
}

/** Creates an empty call log. */
export function createCallLog(): CallLog {
  const calls: SandboxCall[] = [];
  const waiters = new Set<(call: SandboxCall) => void>();
  const changed = (call: SandboxCall): void => {
    for (const waiter of [...waiters]) waiter(call);
  };
  return {
    calls,
    open(call) {
      calls.push(call);
      changed(call);
    },
    changed,
    lines: () => calls.map(callLine).sort(),
    unknownPaths: () => calls.filter((call) => call.unknownPath).map(callLine),
    seen(match) {
      const already = calls.find(match);
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((resolve) => {
        const waiter = (call: SandboxCall): void => {
          if (!match(call)) return;
          waiters.delete(waiter);
          resolve(call);
        };
        waiters.add(waiter);
      });
    },
    clear() {
      calls.length = 0;
    },
  };
}

/** One call as a line: `GET /path?query key`. */
export function callLine(call: SandboxCall): string {
  return `${call.method} ${call.url} ${call.key}`;
}

const CREDENTIAL_HEADERS = ['apikey', 'authorization', 'cookie', 'proxy-authorization', 'x-api-key'];

/** Names of those headers that carry credentials. */
export function credentialHeaders(headers: Readonly<Record<string, unknown>>): string[] {
  return CREDENTIAL_HEADERS.filter((name) => headers[name] !== undefined);
}
