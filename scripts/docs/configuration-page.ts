import type { VARIABLES } from '../../runtime/configuration/configuration-variables.js';
import { DERIVED, table } from './markdown.js';

/** The page of all environment variables, from their table. */
export function configurationPage(variables: typeof VARIABLES): string {
  const rows = variables.map(({ name, byDefault, meaning }) => [`\`${name}\``, byDefault, meaning]);
  return `# Configuration

${DERIVED}

Everything is set by environment variables, read once at the start. All mistakes are reported together, and values are never printed. A name that is none of these and begins with \`PASSERELLE_\`, \`WORK_STUDY_\`, \`VOLUNTEERING_\`, \`WASTE_\` or \`SUBGRAPH_\` is a mistake, and so is one that looks like a misspelling of another (\`CORS_ORIGIN\`), unless other programs may mean it (\`HOSTS\`, \`LOGLEVEL\`). \`npm start -- --help\` prints the same table.

${table(['Variable', 'Default', 'Meaning'], rows)}
`;
}
