// Writes the table of occupations from two files of the official ROME archive in CSV (France Travail on data.gouv.fr,
// Licence Ouverte 2.0), unpacked into a folder: unix_referentiel_code_rome_v*_utf8.csv and unix_referentiel_appellation_v*_utf8.csv.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? fail('npm run occupations -- FOLDER');
const FILE = /^unix_referentiel_(code_rome|appellation)_v(\d)(\d+)_utf8\.csv$/;
const found = new Map(readdirSync(folder).flatMap((name) => (FILE.test(name) ? [[FILE.exec(name)[1], name]] : [])));
const [codes, appellations] = ['code_rome', 'appellation'].map((kind) => {
  if (!found.has(kind)) fail(`${folder} has no file unix_referentiel_${kind}_v*_utf8.csv.`);
  return rowsOf(readFileSync(join(folder, found.get(kind)), 'utf8'));
});
const [, , major, minor] = FILE.exec(found.get('code_rome'));

const occupations = new Map(
  codes.map((row) => [
    row.code_rome,
    { parent: row.code_rome_parent || row.code_rome, label: row.libelle_rome, names: [] },
  ]),
);
for (const { code_rome: code, libelle_appellation_long: name } of appellations) {
  if (!occupations.has(code)) fail(`"${name}" is a name of ${code}, which is no occupation.`);
  occupations.get(code).names.push(name);
}
const lines = [...occupations].sort().map(([code, { parent, label, names }]) => {
  if (!/^[A-Z]\d{4}$/.test(code) || !occupations.has(parent) || !label) fail(`${code} has no code, parent or label.`);
  return [code, parent, label, ...names.sort((one, other) => one.localeCompare(other, 'fr'))].join('\t');
});
const head = [
  `# ROME ${major}.${minor}, "Répertoire opérationnel des métiers et des emplois": France Travail, data.gouv.fr, Licence Ouverte 2.0.`,
  `# Taken on ${new Date().toISOString().slice(0, 10)}. Code, code that it stands under, label, names, with a tab between them.`,
];
writeFileSync(new URL('../subgraphs/codes/occupations.tsv', import.meta.url), `${[...head, ...lines].join('\n')}\n`);
console.log(`${occupations.size} occupations, ${appellations.length} names`);

/** The rows of a CSV file by the names of its columns; fields may be quoted. */
function rowsOf(text) {
  const rows = [];
  for (const [line] of text.replace(/^\uFEFF/, '').matchAll(/(?:"[^"]*"|[^"\n])+/g)) {
    const fields = [...line.trim().matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
    rows.push(fields.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain).trim()));
  }
  const [names, ...others] = rows;
  return others.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
