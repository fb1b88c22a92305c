import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What is installed. One of the packages requests a version of batch-execute that was never published. */
const PACKAGES = {
  private: true,
  dependencies: {
    '@graphql-hive/gateway-runtime': '2.12.1',
    '@graphql-hive/router-runtime': '1.4.23',
    '@graphql-mesh/transport-http': '1.2.1',
    graphql: '16.15.0',
  },
  overrides: { '@graphql-tools/batch-execute': '10.3.2' },
};

let installed: string | undefined;

/** The peers' own folder, into which they are installed at the first call. */
export function peersFolder(): string {
  installed ??= install(fileURLToPath(new URL('../../node_modules/.cache/engines', import.meta.url)));
  return installed;
}

function install(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, JSON.stringify(PACKAGES));
  // Their newest packages request a newer Node than they need.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: 'inherit' });
  return folder;
}
