// Cuts the table of EPCIs from the file of @etalab/decoupage-administratif (4 MB): code, name, inhabitants, members.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readArguments } from './arguments.mjs';

readArguments('npm run epcis', {});

const load = createRequire(import.meta.url);
const { version } = load('@etalab/decoupage-administratif/package.json');
const epcis = load('@etalab/decoupage-administratif/data/epci.json');
const lines = epcis
  .toSorted((one, other) => (one.code < other.code ? -1 : 1))
  .map(({ code, nom, populationMunicipale, membres }) =>
    [code, nom, populationMunicipale, membres.map((member) => member.code).join(' ')].join('\t'),
  );
const head = [
  `# Établissements publics de coopération intercommunale: @etalab/decoupage-administratif ${version}, Licence Ouverte.`,
  '# Code, name, inhabitants (population municipale), codes of its communes, with a tab between them.',
];
writeFileSync(new URL('../subgraphs/codes/epcis.tsv', import.meta.url), `${[...head, ...lines].join('\n')}\n`);
console.log(`${epcis.length} EPCIs`);
