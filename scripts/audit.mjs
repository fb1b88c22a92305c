// `npm run audit`: known advisories for the production tree. Exits with 0 if there are none but those explained below,
// with 1 if there are, and with 2 if the registry cannot be reached, which is not the same as no advisories.

import { spawnSync } from 'node:child_process';
import { readArguments } from './arguments.mjs';

readArguments('npm run audit', {});

/** Why an advisory does not concern the product, by its number (GHSA-…). */
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
