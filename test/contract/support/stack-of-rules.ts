import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Sandbox } from '../../../sandbox/index.js';
import { type Answer, type Ask, type Stack, type StackOptions, startStack } from '../../scenarios/stack.js';

/** The whole product in front of a sandbox, as the tests of documented rules ask it. */
export interface RulesStack {
  readonly stack: Stack;
  readonly sandbox: Sandbox;
  /** Data of an answer that must have no error. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its own query's answer.
  read(query: string, options?: Ask): Promise<any>;
  ask(query: string, options?: Ask): Promise<Answer>;
  /** The errors of an answer as `CODE path`, as many as there are. */
  refusals(query: string, options?: Ask): Promise<string[]>;
}

/** Opens one stack for a describe or a file, in process; calls and faults are forgotten between its tests. */
export function stackOfRules(options: Omit<StackOptions, 'shape'>): RulesStack {
  let opened: Stack | undefined;
  const stack = (): Stack => {
    if (opened === undefined) throw new Error('The stack is open only while the tests of its describe run.');
    return opened;
  };
  const ask = (query: string, how?: Ask) => stack().ask(query, how);
  beforeAll(async () => {
    opened = await startStack({ shape: 'in process', ...options });
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
    ask,
    async read(query, how) {
      const { data, errors } = await ask(query, how);
      expect(errors).toEqual([]);
      return data;
    },
    async refusals(query, how) {
      const { errors } = await ask(query, how);
      return errors.map(({ extensions, path = [] }) => `${extensions.code} ${path.join('.')}`);
    },
  };
}
