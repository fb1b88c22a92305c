// `npm run licences`: every package of the production tree with its licence. Fails for a licence not reviewed below.

import { execFileSync } from 'node:child_process';
import { readArguments } from './arguments.mjs';

readArguments('npm run licences', {});

/** Reviewed licences: null if running, changing and distributing the product is unrestricted, else a note. */
const KNOWN = new Map([
  ['MIT', null],
  ['Apache-2.0', null],
  ['BSD-2-Clause', null],
  ['BSD-3-Clause', null],
  ['ISC', null],
  ['0BSD', null],
  ['BlueOak-1.0.0', null],
  ['(MIT AND BSD-3-Clause)', null],
  ['etalab-2.0', null],
  ['Elastic-2.0', 'not to be offered to third parties as a managed service (docs/decisions/apollo-gateway-licence.md)'],
]);

const sbom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);
const unknown = [];
for (const { name, group, version, licenses = [] } of sbom.components) {
  const found = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  const licence = found.join(' AND ') || 'none';
  const note = KNOWN.get(licence);
  console.log(`${group ? `${group}/` : ''}${name} ${version}: ${licence}${note ? `, ${note}` : ''}`);
  if (note === undefined) unknown.push(`${name}: ${licence}`);
}
console.log(`${sbom.components.length} packages.`);
if (unknown.length > 0) {
  console.error(`Not reviewed: ${unknown.join('; ')}`);
  process.exitCode = 1;
}
