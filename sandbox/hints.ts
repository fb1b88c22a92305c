import type { Sandbox } from './index.js';

/** The variables that an operator would set to use the sandbox's services as if they were real. */
export function variablesOf({ workStudy, volunteering, waste, keys }: Sandbox): Record<string, string> {
  return {
    WORK_STUDY_URL: workStudy.url,
    WORK_STUDY_API_KEY: keys.workStudy.operator,
    VOLUNTEERING_URL: volunteering.url,
    VOLUNTEERING_API_KEY: keys.volunteering.operator,
    WASTE_AUTH_URL: waste.authUrl,
    WASTE_API_URL: waste.url,
    WASTE_CLIENT_ID: keys.waste.client.id,
    WASTE_CLIENT_SECRET: keys.waste.client.secret,
  };
}

/** Credentials for newcomers, as lines of `name: what to send`. `url` is the gateway, where they log in. */
export function hintsOf({ world, keys }: Sandbox, url: string): string[] {
  const [user] = world.wasteUsers;
  return [
    `viewer:      send  Authorization: Bearer ${keys.waste.token}`,
    ...(user === undefined
      ? []
      : [`or log in:   ${url}/auth/waste/login   as ${user.email}, password ${user.password}`]),
    `own keys:    x-work-study-key: ${keys.workStudy.alice}   x-volunteering-key: ${keys.volunteering.alice}`,
  ];
}
