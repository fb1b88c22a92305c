// Writes the INSEE codes whose first digits are no longer those of their département: codes of the Seine and
// Seine-et-Oise, of Corsica before 1976, and of communes that changed département. Codes: INSEE (Licence Ouverte).
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

readArguments('node scripts/moved-codes.mjs', {});

const rows = createRequire(import.meta.url)('@etalab/decoupage-administratif/data/communes.json');
const current = new Map(rows.filter(({ type }) => type === 'commune-actuelle').map((row) => [row.code, row]));
const CODES_PER_LINE = 19;

const successors = new Map();
for (const { code, anciensCodes = [] } of rows) for (const former of anciensCodes) successors.set(former, code);
// A commune's own row takes precedence.
for (const { code, chefLieu, commune } of rows) {
  if (chefLieu ?? commune) successors.set(code, chefLieu ?? commune);
}

const moved = new Map();
for (const [code, successor] of [...successors].sort()) {
  const departement = current.get(successor)?.departement;
  if (departement === undefined || current.has(code) || code.startsWith(departement)) continue;
  moved.set(departement, [...(moved.get(departement) ?? []), code]);
}

const entries = [...moved]
  .sort(([one], [other]) => one.localeCompare(other))
  .map(([departement, codes]) => {
    const lines = [];
    for (let start = 0; start < codes.length; start += CODES_PER_LINE) {
      lines.push(codes.slice(start, start + CODES_PER_LINE).join(' '));
    }
    return lines.length === 1
      ? `  '${departement}': '${lines[0]}',\n`
      : `  '${departement}': \`\n    ${lines.join('\n    ')}\`,\n`;
  });
const text = `/**
 * Former INSEE codes whose first digits are not those of today's département, by that département. Written by
 * \`node scripts/moved-codes.mjs\` from the official list, which is too large to be read for these few.
 */
export const MOVED_CODES: Readonly<Record<string, string>> = {
${entries.join('')}};
`;
writeFileSync(fileURLToPath(new URL('../subgraphs/codes/moved-codes.ts', import.meta.url)), text);
