import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { type Analyst, openAnalyst } from './analyst.js';
import { type Chromium, startChromium } from './chromium.js';

/** The product and a browser beside it. */
export interface Browsing {
  readonly stack: Stack;
  readonly chromium: Chromium;
}

let launched: Promise<Chromium> | undefined;
let started: Promise<Browsing> | undefined;

/** The browser alone, for files with a stack of their own. */
export function sharedChromium(): Promise<Chromium> {
  launched ??= startChromium();
  return launched;
}

/**
 * One stack and one browser for all files of this process: starting them takes longer than most of what is looked at.
 * They end with the process.
 */
export function browsing(): Promise<Browsing> {
  started ??= start();
  return started;
}

async function start(): Promise<Browsing> {
  // One after the other: unpacking the browser moves the directory for temporary files.
  const chromium = await sharedChromium();
  const stack = await startStack({ shape: 'in process' });
  return { stack, chromium };
}

/** The page that the tests of a file look at, as it was opened. */
export interface AnalystOfFile extends Browsing {
  readonly analyst: Analyst;
}

/** The page that no file has at this moment. */
let idle: Analyst | undefined;

/**
 * The page for the tests of a file, at a place such as `#example=missions-locales`. Loading it costs seconds, so the files
 * of a process have it one after the other, each as if it were new; one in which a test fails does not pass it on. For a
 * browser whose language is given, it is loaded for this file alone.
 */
export function openedAnalyst(place = '', locale?: string): AnalystOfFile {
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

/** The last test of a file: whatever was done before it kept to the page's policy and origin. */
export function testThatNothingWasBroken(used: AnalystOfFile): void {
  test('broke no rule of its policy, called no other origin and made no mistake in all of this', async () => {
    expect(await used.analyst.violations()).toEqual([]);
    expect(used.analyst.offences).toEqual([]);
  });
}

/** What becomes so, sooner or later. */
export function eventually<T>(value: () => T | Promise<T>) {
  return expect.poll(value, POLLING);
}
