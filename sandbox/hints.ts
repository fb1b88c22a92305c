import type { Sandbox, SandboxServiceName } from './index.js';

/** The variables of each service that an operator would set to use it as if it were real. */
const VARIABLES: Readonly<Record<SandboxServiceName, (sandbox: Sandbox) => Record<string, string>>> = {
  'work-study': ({ workStudy, keys }) => ({
    WORK_STUDY_URL: workStudy.url,
    WORK_STUDY_API_KEY: keys.workStudy.operator,
  }),
  volunteering: ({ volunteering, keys }) => ({
    VOLUNTEERING_URL: volunteering.url,
    VOLUNTEERING_API_KEY: keys.volunteering.operator,
  }),
  'waste-identity': ({ waste, keys: { waste: keys } }) => ({
    WASTE_AUTH_URL: waste.authUrl,
    WASTE_API_URL: waste.url,
    WASTE_CLIENT_ID: keys.client.id,
    WASTE_CLIENT_SECRET: keys.client.secret,
  }),
};

/** The variables that an operator would set to use one of the sandbox's services as if it were real. */
export function sandboxVariables(sandbox: Sandbox, service: SandboxServiceName): Record<string, string> {
  return VARIABLES[service](sandbox);
}

/** Those of all services that were started. */
export function variablesOf(sandbox: Sandbox): Record<string, string> {
  return Object.assign({}, ...sandbox.services.map((name) => sandboxVariables(sandbox, name)));
}

/** Where each service is told to fail, and what it was asked: `sandbox/README.md`. */
export function faultsOf(sandbox: Sandbox): string {
  return sandbox.services.map((name) => `${name} ${sandbox.serviceOf(name).origin}/__sandbox/faults`).join('   ');
}

/** Credentials of a caller that the services accept, and what a browser logs in with; for newcomers. */
export function callersOf({ world, keys }: Sandbox): {
  readonly credentials: Readonly<Record<SandboxServiceName, string>>;
  readonly login: { readonly email: string; readonly password: string } | null;
} {
  const { workStudy, volunteering, waste } = keys;
  return {
    credentials: { 'work-study': workStudy.alice, volunteering: volunteering.alice, 'waste-identity': waste.token },
    login: world.wasteUsers[0] ?? null,
  };
}
