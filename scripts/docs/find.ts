// `npm run docs -- WORD`: prints where the graph mentions a word, or several together, and every path there.
import { findInGraph, readApi } from './api.js';

const USAGE =
  'npm run docs -- WORD …   finds what the graph has by a word, by several together, or by its place: npm run docs -- Mission.title';

const words = process.argv.slice(2);
const phrase = words.join(' ').trim();
if (words.includes('--help') || words.includes('-h')) console.log(USAGE);
else if (phrase === '' || words.some((word) => word.startsWith('-'))) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const found = findInGraph(readApi(), phrase);
  console.log(found.length === 0 ? `Nothing in the graph mentions ${phrase}.` : found.join('\n'));
  if (found.length === 0) process.exitCode = 1;
}
