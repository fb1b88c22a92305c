/** Calls between threads, by the names of methods. */

/** A call of a method. */
export interface Task {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a call gave, or why it failed: errors lose their class between threads. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly failure: { name: string; code: unknown; message: string } };

/** Does the calls of an object, in whichever thread it is called. It is opened with the first. */
export function serve(open: () => object): (task: Task) => Outcome {
  let opened: object | null = null;
  return ({ name, args }) => {
    try {
      if (opened === null && name === 'close') return { result: null };
      opened ??= open();
      // A class says nothing of the names of its methods; those that call name only them.
      const methods = opened as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
      return { result: methods[name]?.(...args) };
    } catch (error) {
      const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
      return { failure: { name: kind, message, code: (error as { readonly code?: unknown }).code ?? null } };
    }
  };
}
