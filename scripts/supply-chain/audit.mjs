// `npm run audit`: known advisories for the production tree. Ends with 0 without any, with 1 for one that is not explained
// below, and with 2 where the registry could not be reached: that is not the same as none.

import { spawnSync } from 'node:child_process';
import { readArguments } from '../arguments.mjs';

readArguments('npm run audit', {});

/** Advisories that do not concern the product, by their number (GHSA-…), and why. */
const EXPLAINED = {};

const { stdout } = spawnSync('npm', ['audit', '--omit', 'dev', '--json'], { encoding: 'utf8' });
const report = readReport(stdout);
if (report === null) {
  console.error('The registry cannot be reached: no advisories.');
  process.exitCode = 2;
} else {
  const advisories = Object.values(report.vulnerabilities).flatMap(({ via }) => via.filter(({ url }) => url));
  const open = new Map(advisories.map((one) => [one.url.split('/').at(-1), one]));
  for (const number of Object.keys(EXPLAINED)) open.delete(number);
  for (const [number, { name, range, title }] of open) console.error(`${number}: ${name} ${range}: ${title}`);
  console.log(`${open.size} advisories, ${Object.keys(EXPLAINED).length} explained.`);
  process.exitCode = open.size > 0 ? 1 : 0;
}

function readReport(text) {
  try {
    const report = JSON.parse(text);
    return report.vulnerabilities === undefined ? null : report;
  } catch {
    return null;
  }
}
