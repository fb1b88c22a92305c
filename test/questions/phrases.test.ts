import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compose } from '../../analyst/questions/compose.js';
import { readWords } from '../../analyst/questions/words.js';
import { exportSettled, ONE_SHAPE, type Stack, startStack } from '../scenarios/stack.js';
import { pageKnowledge } from './finders.js';
import { judge, readPhrases } from './phrases.js';

/** Phrases in both languages by somebody who had not seen the code. */
const PHRASES = readPhrases(readFileSync(new URL('phrases.txt', import.meta.url), 'utf8'));

let stack: Stack;
let judged: readonly (ReturnType<typeof judge> & { readonly text: string })[];
beforeAll(async () => {
  stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.1 } });
  await exportSettled(stack.log);
  const known = await pageKnowledge(stack.url);
  const finders = await known.findersNow();
  const all = [];
  for (const phrase of PHRASES) {
    const reading = await readWords(phrase.text, finders);
    await known.learnFor(reading.question);
    const { composed } = compose(reading.question, known.knownNow());
    all.push({ ...judge(phrase, reading, composed !== null), text: phrase.text });
  }
  judged = all;
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await stack.close();
});

test('Of the phrases, nine in ten have the right subject and form', () => {
  expect(judged.length).toBeGreaterThan(190);
  const wrong = judged.filter(({ isRight }) => !isRight).map(({ text }) => text);
  expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(judged.length / 10);
});

test('Of the criteria that they name, 85 % are taken with the right code', () => {
  const named = judged.reduce((sum, one) => sum + one.named, 0);
  const taken = judged.reduce((sum, one) => sum + one.taken, 0);
  expect(named).toBeGreaterThan(200);
  expect(taken / named).toBeGreaterThanOrEqual(0.85);
});

test('None shows rows for another question without saying so', () => {
  expect(judged.filter(({ isSilent }) => isSilent).map(({ text }) => text)).toEqual([]);
});

test('The phrases are not in the code, nor in its data', () => {
  const folder = new URL('../../analyst/questions/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|json)$/.test(name));
  const code = files.map((name) => readFileSync(new URL(name, folder), 'utf8').toLowerCase()).join('\n');
  // Of one or two words, a phrase is a noun or a name that any list has.
  const long = PHRASES.filter(({ text }) => text.split(' ').length > 2);
  expect(long.filter(({ text }) => code.includes(text.toLowerCase())).map(({ text }) => text)).toEqual([]);
});
