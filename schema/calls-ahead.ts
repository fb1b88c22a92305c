import { notAtHand } from './at-hand.js';

/** The calls of one of two runs that need the same. */
export interface CallsOfRun {
  /** What `call` returns, or what an equal call of the other run has returned. Throws for a run that has been left. */
  once<T>(keyOf: () => string, call: () => T): T;
  /** Ends the run ahead, before work that only the execution can use; does nothing in the execution. */
  leaveToExecution(): void;
}

/**
 * Calls that are made ahead of an execution. If it takes place after all, it takes their values, failed ones too, each
 * once, instead of making equal calls again. From its first call on, the run ahead makes none.
 */
export interface CallsAhead {
  readonly ahead: CallsOfRun;
  readonly execution: CallsOfRun;
}

interface MadeCall {
  /** Only needed if an execution follows. */
  keyOf(): string;
  readonly value: unknown;
}

/** Creates it without calls. */
export function createCallsAhead(): CallsAhead {
  const made: MadeCall[] = [];
  let left: ReadonlyMap<string, MadeCall[]> | null = null;
  return {
    ahead: {
      once(keyOf, call) {
        // A resolver that makes several calls may still be on its way: the execution makes the rest of them.
        if (left !== null) throw notAtHand('waits');
        const value = call();
        made.push({ keyOf, value });
        return value;
      },
      leaveToExecution() {
        throw notAtHand('waits');
      },
    },
    execution: {
      once<T>(keyOf: () => string, call: () => T): T {
        left ??= byKey(made);
        const ahead = left.size === 0 ? undefined : left.get(keyOf())?.shift();
        // An equal call has a value of the same type.
        return ahead === undefined ? call() : (ahead.value as T);
      },
      leaveToExecution() {},
    },
  };
}

function byKey(made: readonly MadeCall[]): ReadonlyMap<string, MadeCall[]> {
  const calls = new Map<string, MadeCall[]>();
  for (const call of made) {
    const key = call.keyOf();
    const equal = calls.get(key) ?? [];
    calls.set(key, equal);
    equal.push(call);
  }
  return calls;
}
