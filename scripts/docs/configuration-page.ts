import { FAMILIES } from '../../runtime/configuration/configuration-reader.js';
import type { VARIABLES } from '../../runtime/configuration/configuration-variables.js';
import { DERIVED, table } from './markdown.js';

/** The page of all environment variables, from their table. */
export function configurationPage(variables: typeof VARIABLES): string {
  const rows = variables.map(({ name, byDefault, meaning }) => [`\`${name}\``, byDefault, meaning]);
  const families = FAMILIES.map((prefix) => `\`${prefix}\``);
  const last = families.pop();
  return `# Configuration

${DERIVED}

Everything is set by environment variables, which are read once at startup. All mistakes are reported together, without the values. An unknown name that begins with ${families.join(', ')} or ${last} is a mistake, and so is one that looks like a misspelling of a known name (\`CORS_ORIGIN\`), unless it may be meant for another program (\`HOSTS\`, \`LOGLEVEL\`). \`npm start -- --help\` prints the same table.

${table(['Variable', 'Default', 'Meaning'], rows)}
`;
}
