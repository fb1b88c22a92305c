// `npm run docs -- WORD`: where the graph speaks of a word, or of several words together, and every way to get there.
import { findInGraph, readApi } from '../../schema/find.js';

const phrase = process.argv.slice(2).join(' ').trim();
if (phrase === '') {
  console.error('Say what to look for: npm run docs -- SIRET');
  process.exitCode = 2;
} else {
  const found = findInGraph(readApi(), phrase);
  console.log(found.length === 0 ? `Nothing in the graph mentions ${phrase}.` : found.join('\n'));
  if (found.length === 0) process.exitCode = 1;
}
