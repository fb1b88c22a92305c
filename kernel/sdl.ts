import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LISTS_SOURCES, SERVICE_ENTRIES, SERVICES, type ServiceName } from './services.js';

const SUBGRAPHS = new URL('../subgraphs/', import.meta.url);

/** The SDL of one subgraph: what all share, then every `.graphql` file of its room, sorted by path. */
export function readSubgraphSdl(service: ServiceName): string {
  const room = new URL(`${service}/`, SUBGRAPHS);
  const files = readdirSync(fileURLToPath(room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  return [read('graph/shared.graphql'), sourcesSdl(service), ...files.map((file) => read(`${service}/${file}`))].join(
    '\n',
  );
}

/**
 * The types of `sources`. Each subgraph reports on its own service, whose type has all fields of the interface `Source`;
 * one of them also lists all services, and of the others it knows the name.
 */
function sourcesSdl(service: ServiceName): string {
  const all = read('graph/source.graphql');
  const [, fields = ''] = /^interface Source \{\n(.*?)^\}/ms.exec(all) ?? [];
  const own = typeOf(service, '@key(fields: "name")', fields);
  if (service !== LISTS_SOURCES) return `${all}\n${own}`;
  const [known = ''] = /^.*?\n {2}name: String!\n/s.exec(fields) ?? [];
  const others = SERVICES.filter((name) => name !== service).map((name) =>
    typeOf(name, '@key(fields: "name", resolvable: false)', known),
  );
  return [
    'extend type Query {',
    '  "The services behind this graph and their states. Calls none of them."',
    '  sources: [Source]',
    '}',
    all.replace(fields, () => known),
    own,
    ...others,
  ].join('\n');
}

function typeOf(service: ServiceName, key: string, fields: string): string {
  const { type, description } = SERVICE_ENTRIES[service].source;
  const shared = fields
    .replace(/^ {2}id: ID!$/m, '$& @shareable')
    .replace(/^ {2}"Name of .*"$/m, `  "Always \`${service}\`."`);
  return `"${description}"\ntype ${type} implements Source ${key} {\n${shared}}\n`;
}

function read(file: string): string {
  return readFileSync(new URL(file, SUBGRAPHS), 'utf8');
}
