import { notAtHand } from './at-hand.js';

/**
 * Calls that were made ahead of an execution. If it takes place after all, it takes their values, failed ones too,
 * instead of making equal calls again.
 */
export interface CallsAhead {
  /** What `call` returns; in an execution, what an equal call returned ahead of it, each once. */
  once<T>(keyOf: () => string, call: () => T): T;
  /** Ends a run that makes calls ahead, for what only an execution can answer; does nothing in an execution. */
  giveUp(): void;
  /** Call it when the execution begins. */
  execute(): void;
}

interface CallAhead {
  /** Only needed if an execution follows. */
  keyOf(): string;
  readonly value: unknown;
}

/** Creates it without calls. */
export function createCallsAhead(): CallsAhead {
  const made: CallAhead[] = [];
  let left: Map<string, CallAhead[]> | null = null;
  return {
    once<T>(keyOf: () => string, call: () => T): T {
      const ahead = left === null || left.size === 0 ? undefined : left.get(keyOf())?.shift();
      if (ahead !== undefined) return ahead.value as T;
      const value = call();
      if (left === null) made.push({ keyOf, value });
      return value;
    },
    giveUp() {
      if (left === null) throw notAtHand('waits');
    },
    execute() {
      left = new Map();
      for (const call of made) {
        const key = call.keyOf();
        const equal = left.get(key) ?? [];
        left.set(key, equal);
        equal.push(call);
      }
    },
  };
}
