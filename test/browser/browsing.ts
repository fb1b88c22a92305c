import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { type Analyst, openAnalyst, placeOf } from './analyst.js';
import { type Chromium, startChromium } from './chromium.js';

/** The product and a browser. */
export interface Browsing {
  readonly stack: Stack;
  readonly chromium: Chromium;
}

let launched: Promise<Chromium> | undefined;
let started: Promise<Stack> | undefined;

/** The browser alone, for files with their own stack. */
export function sharedChromium(): Promise<Chromium> {
  launched ??= startChromium();
  return launched;
}

/**
 * One stack and one browser for all files of this process, because starting them takes longer than most tests. They end
 * with the process.
 */
export async function browsing(): Promise<Browsing> {
  // In sequence, because unpacking the browser changes the directory for temporary files.
  const chromium = await sharedChromium();
  started ??= startStack({ shape: 'in process' });
  return { stack: await started, chromium };
}

/** The page that the tests of a file use, in the state in which it was opened. */
export interface AnalystOfFile extends Browsing {
  readonly analyst: Analyst;
}

/** The page for the tests of a file, in a browser of its own, at a place such as `#ask=missions` or `#sample=my-companies`. */
export function openedAnalyst(place = '#code', { locale = 'en' }: { readonly locale?: string } = {}): AnalystOfFile {
  let opened: AnalystOfFile | undefined;
  let context: BrowserContext | undefined;
  beforeAll(async () => {
    const { stack, chromium } = await browsing();
    context = await chromium.freshContext({ locale });
    const analyst = await openAnalyst(context, `${stack.url}/graphiql${placeOf(place)}`);
    opened = { stack, chromium, analyst };
  });
  afterAll(() => context?.close());
  const now = (): AnalystOfFile => {
    if (opened === undefined) throw new Error('The page is opened before the tests, not before that.');
    return opened;
  };
  return {
    get stack() {
      return now().stack;
    },
    get chromium() {
      return now().chromium;
    },
    get analyst() {
      return now().analyst;
    },
  };
}

/** The last test of a file: everything before it obeyed the page's policy and stayed on its origin. */
export function testThatNothingWasBroken(used: AnalystOfFile): void {
  test('broke no rule of its policy, called no other origin and made no mistake in all of this', async () => {
    expect(await used.analyst.violations()).toEqual([]);
    expect(used.analyst.offences).toEqual([]);
  });
}

/** Expects of a value that changes: polls until it matches. */
export function eventually<T>(value: () => T | Promise<T>) {
  return expect.poll(value, POLLING);
}
