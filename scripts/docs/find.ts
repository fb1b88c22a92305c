// `npm run docs -- WORD`: where the graph speaks of a word, and every way to get there.
import { findInGraph, readApi } from '../../schema/find.js';

const [word] = process.argv.slice(2);
if (word === undefined) {
  console.error('Say what to look for: npm run docs -- SIRET');
  process.exitCode = 2;
} else {
  const found = findInGraph(readApi(), word);
  console.log(found.length === 0 ? `The graph does not speak of ${word}.` : found.join('\n'));
}
