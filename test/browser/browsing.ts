import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { type Analyst, openAnalyst } from './analyst.js';
import { type Chromium, RELEASES, type Release, startChromium } from './chromium.js';

/** The product and a browser. */
export interface Browsing {
  readonly stack: Stack;
  readonly chromium: Chromium;
}

const launched = new Map<Release, Promise<Chromium>>();
let started: Promise<Stack> | undefined;

/** The release for tests that run in one: the current one if the machine has it. */
const [USUAL = 'bundled'] = RELEASES;

/** The browser alone, for files with their own stack. */
export function sharedChromium(release: Release = USUAL): Promise<Chromium> {
  const chromium = launched.get(release) ?? startChromium(release);
  launched.set(release, chromium);
  return chromium;
}

/**
 * One stack and one browser for all files of this process, because starting them takes longer than most tests. They end
 * with the process.
 */
export async function browsing(release: Release = USUAL): Promise<Browsing> {
  // In sequence, because unpacking the browser changes the directory for temporary files.
  const chromium = await sharedChromium(release);
  started ??= startStack({ shape: 'in process' });
  return { stack: await started, chromium };
}

/** The page that the tests of a file use, in the state in which it was opened. */
export interface AnalystOfFile extends Browsing {
  readonly analyst: Analyst;
}

/** Pages that no file is using at the moment. */
const idle = new Map<Release, Analyst>();

interface Opening {
  /** Loads the page for this file alone, in a browser of this language. */
  readonly locale?: string;
  readonly release?: Release;
}

/**
 * The page for the tests of a file, at a place such as `#example=missions-locales`. Loading it takes seconds, so the
 * files of a process reuse it in turn, each time reset; a file in which a test failed does not pass it on.
 */
export function openedAnalyst(place = '', { locale, release = USUAL }: Opening = {}): AnalystOfFile {
  let opened: AnalystOfFile | undefined;
  let context: BrowserContext | undefined;
  const isOwn = locale !== undefined;
  beforeAll(async () => {
    const { stack, chromium } = await browsing(release);
    let analyst = isOwn ? undefined : idle.get(release);
    if (analyst === undefined) {
      context = await chromium.freshContext(isOwn ? { locale } : {});
      analyst = await openAnalyst(context, `${stack.url}/graphiql${place}`);
    } else {
      idle.delete(release);
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
    else idle.set(release, opened.analyst);
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
