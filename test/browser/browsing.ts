import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { type Analyst, openAnalyst } from './analyst.js';
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

/** A page that no file is using at the moment. */
let idle: Analyst | undefined;

interface Opening {
  /** Loads the page for this file alone, in a browser of this language. */
  readonly locale?: string;
}

/**
 * The page for the tests of a file, at a place such as `#example=missions-locales`. Loading it takes seconds, so the
 * files of a process reuse it in turn, each time reset; a file in which a test failed does not pass it on.
 */
export function openedAnalyst(place = '', { locale }: Opening = {}): AnalystOfFile {
  let opened: AnalystOfFile | undefined;
  let context: BrowserContext | undefined;
  const isOwn = locale !== undefined;
  beforeAll(async () => {
    const { stack, chromium } = await browsing();
    let analyst = isOwn ? undefined : idle;
    if (analyst === undefined) {
      context = await chromium.freshContext(isOwn ? { locale } : {});
      analyst = await openAnalyst(context, `${stack.url}/graphiql${place}`);
    } else {
      idle = undefined;
      context = analyst.page.context();
      await analyst.startAfresh(place);
    }
    opened = { stack, chromium, analyst };
  });
  let isWhole = true;
  afterEach(({ task }) => {
    isWhole &&= task.result?.state !== 'fail';
  });
  afterAll(async () => {
    if (isOwn || opened === undefined || !isWhole) await context?.close();
    else idle = opened.analyst;
  });
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
