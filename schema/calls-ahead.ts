/** The calls of one of two runs that need the same: each is made by one of them, and the other takes its value. */
export interface SharedCalls {
  /** What an equal call of the other run returned, each once, also if that failed; else what `call` returns. */
  once<T>(keyOf: () => string, call: () => T): T;
}

/**
 * Calls that were made ahead of an execution. If it takes place after all, it takes their values instead of making
 * equal calls again. A resolver of the run ahead may still be on its way then, and takes the values of the execution.
 */
export interface CallsAhead {
  readonly ahead: SharedCalls;
  readonly execution: SharedCalls;
}

/** Creates it without calls. */
export function createCallsAhead(): CallsAhead {
  const [ahead, execution] = [createMade(), createMade()];
  return { ahead: sharing(ahead, execution), execution: sharing(execution, ahead) };
}

interface MadeCall {
  /** Only needed if the other run makes calls too. */
  keyOf(): string;
  readonly value: unknown;
}

/** Calls that one run has made, and the other has not taken. */
interface Made {
  add(call: MadeCall): void;
  /** The earliest call with this key. */
  take(keyOf: () => string): MadeCall | undefined;
}

function createMade(): Made {
  let added: MadeCall[] = [];
  const left = new Map<string, MadeCall[]>();

  function sort(): void {
    for (const call of added) {
      const key = call.keyOf();
      const equal = left.get(key) ?? [];
      left.set(key, equal);
      equal.push(call);
    }
    added = [];
  }

  return {
    add: (call) => void added.push(call),
    take(keyOf) {
      sort();
      return left.size === 0 ? undefined : left.get(keyOf())?.shift();
    },
  };
}

function sharing(own: Made, others: Made): SharedCalls {
  return {
    once<T>(keyOf: () => string, call: () => T): T {
      const made = others.take(keyOf);
      if (made !== undefined) return made.value as T;
      const value = call();
      own.add({ keyOf, value });
      return value;
    },
  };
}
