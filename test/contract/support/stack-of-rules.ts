import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Sandbox } from '../../../sandbox/index.js';
import {
  type SendOptions,
  type Stack,
  type StackOptions,
  type StackResponse,
  startStack,
} from '../../scenarios/stack.js';

/** The whole product in front of a sandbox, for the tests of documented rules. */
export interface RulesStack {
  readonly stack: Stack;
  readonly sandbox: Sandbox;
  /** Data of a response that must have no error. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its own query's answer.
  read(query: string, options?: SendOptions): Promise<any>;
  send(query: string, options?: SendOptions): Promise<StackResponse>;
  /** All errors of a response, as `CODE path`. */
  refusals(query: string, options?: SendOptions): Promise<string[]>;
}

/** Opens one stack, in process, for a `describe` or a file. Between tests it forgets calls and clears faults. */
export function stackOfRules(options: Omit<StackOptions, 'shape'>): RulesStack {
  let opened: Stack | undefined;
  const stack = (): Stack => {
    if (opened === undefined) throw new Error('The stack is open only while the tests of its describe run.');
    return opened;
  };
  const send = (query: string, how?: SendOptions) => stack().send(query, how);
  beforeAll(async () => {
    opened = await startStack({ shape: 'in process', ...options, sandbox: { scale: 0.2, ...options.sandbox } });
  });
  beforeEach(() => stack().forgetCalls());
  afterEach(() => {
    for (const service of stack().sandbox.running) service.clearFaults();
  });
  afterAll(() => opened?.close());
  return {
    get stack() {
      return stack();
    },
    get sandbox() {
      return stack().sandbox;
    },
    send,
    async read(query, how) {
      const { data, errors } = await send(query, how);
      expect(errors).toEqual([]);
      return data;
    },
    async refusals(query, how) {
      const { data, errors } = await send(query, how);
      const written = Object.entries((data ?? {}) as Record<string, { userErrors?: unknown[] } | null>);
      return [
        ...errors.map(({ extensions, path = [] }) => `${extensions.code} ${path.join('.')}`),
        ...written.flatMap(([name, value]) => (value?.userErrors ?? []).map(() => `userErrors ${name}`)),
      ];
    },
  };
}
