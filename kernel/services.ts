/*
 * The services behind the graph: one entry each, of plain data that every room may read, browsers included. What lists
 * the services reads it from here: configuration, credentials, CORS, errors, `sources`, the pages, `npm run drift`, the
 * files to deploy. How a service is opened stands in `subgraphs/registry.ts`.
 */

/** A text in the languages of the pages. */
interface Bilingual {
  readonly en: string;
  readonly fr: string;
}

/**
 * How the value of a variable is read. A `key` is a secret that is sent in a header as it is; `hosts` are names of hosts
 * in lower case, each with a port or without, separated by commas.
 */
type VariableKind = 'address' | 'text' | 'hosts' | 'key' | 'secret';

/** An environment variable of one service. Its name begins with the service's prefix. */
export interface ServiceVariable {
  readonly name: string;
  readonly kind: VariableKind;
  /** As `--help` explains it. */
  readonly meaning: string;
  /** The value where none is set; a variable without one must be set as soon as another of the service is. */
  readonly byDefault?: string;
  /** What is wrong with an address, as `must …`; null for nothing. */
  readonly refuse?: (address: URL) => string | null;
}

/** What is known about a service without opening it. */
export interface ServiceEntry {
  /** What the page calls it in French. */
  readonly label: string;
  readonly has: Bilingual;
  /** Background of its name on the analyst page, under white text: at least 4.5 to 1. */
  readonly colour: string;
  /** Its type in the graph's `sources`, and the description of that type. */
  readonly source: { readonly type: `${string}Source`; readonly description: string };
  /** Port of its subgraph in a process of its own. */
  readonly port: number;
  /** The variable with the address of that process. */
  readonly addressVariable: `SUBGRAPH_${string}_URL`;
  /**
   * The request header in which callers send their own credential: a key as it is, or the bearer token of a platform
   * where they log in.
   */
  readonly credential:
    | { readonly header: string; readonly kind: 'key' }
    | { readonly header: string; readonly kind: 'token'; readonly platform: Bilingual };
  /** With what the names of its variables begin: any other name that begins so is a mistake. */
  readonly prefix: `${string}_`;
  /** Its variables. `baseUrl` is the one with the address of its API. */
  readonly baseUrl: string;
  readonly variables: Readonly<Record<string, ServiceVariable>>;
}

/** The entries by name. The names are used everywhere: in traces, errors, `sources`, `/readyz`, metrics and logs. */
export const SERVICE_ENTRIES = {
  'work-study': {
    label: 'Alternance',
    has: { en: 'offers, certifications, courses, communes', fr: 'offres, certifications, formations, communes' },
    colour: '#0b5394',
    source: {
      type: 'WorkStudySource',
      description: 'The work-study service: offers, certifications, training, geography.',
    },
    port: 4001,
    addressVariable: 'SUBGRAPH_WORK_STUDY_URL',
    credential: { header: 'x-work-study-key', kind: 'key' },
    prefix: 'WORK_STUDY_',
    baseUrl: 'url',
    variables: {
      url: {
        name: 'WORK_STUDY_URL',
        kind: 'address',
        meaning: 'base address of work-study; ends with /api',
        // Otherwise every call would be refused. A proxy may serve it without `/api`, the service itself does not.
        refuse: ({ hostname, pathname }) =>
          hostname.endsWith('.apprentissage.beta.gouv.fr') && !pathname.endsWith('/api')
            ? 'must end with /api: every route of the service lies below it'
            : null,
      },
      apiKey: { name: 'WORK_STUDY_API_KEY', kind: 'key', meaning: "the operator's key for work-study" },
      exportHosts: {
        name: 'WORK_STUDY_EXPORT_HOSTS',
        kind: 'hosts',
        byDefault: 'none',
        meaning:
          'hosts, with a port or without, separated by commas, to which the link to the daily export may lead beside those of the service and of its object storage',
      },
    },
  },
  'waste-identity': {
    label: 'Trackdéchets',
    has: {
      en: 'who you are on the waste platform, and your companies',
      fr: 'qui vous êtes sur Trackdéchets, et vos entreprises',
    },
    colour: '#38692b',
    source: { type: 'WasteIdentitySource', description: "The waste platform's identity service: who is logged in." },
    port: 4002,
    addressVariable: 'SUBGRAPH_WASTE_IDENTITY_URL',
    credential: { header: 'authorization', kind: 'token', platform: { en: 'waste platform', fr: 'Trackdéchets' } },
    prefix: 'WASTE_',
    baseUrl: 'apiUrl',
    variables: {
      authUrl: {
        name: 'WASTE_AUTH_URL',
        kind: 'address',
        meaning: 'address of the waste platform that shows its login',
      },
      apiUrl: {
        name: 'WASTE_API_URL',
        kind: 'address',
        meaning: "address of the waste platform's API and token endpoint",
      },
      clientId: {
        name: 'WASTE_CLIENT_ID',
        kind: 'text',
        meaning: 'the client application at the waste platform',
      },
      clientSecret: { name: 'WASTE_CLIENT_SECRET', kind: 'secret', meaning: 'the secret of that client application' },
    },
  },
  volunteering: {
    label: 'Bénévolat',
    has: {
      en: 'missions and the register of associations',
      fr: 'missions de bénévolat et répertoire des associations',
    },
    colour: '#8a3a12',
    source: { type: 'VolunteeringSource', description: 'The volunteering service: missions and organizations.' },
    port: 4003,
    addressVariable: 'SUBGRAPH_VOLUNTEERING_URL',
    credential: { header: 'x-volunteering-key', kind: 'key' },
    prefix: 'VOLUNTEERING_',
    baseUrl: 'url',
    variables: {
      url: {
        name: 'VOLUNTEERING_URL',
        kind: 'address',
        meaning: 'base address of volunteering, without /v0, which is added',
        refuse: ({ pathname }) =>
          pathname.endsWith('/v0') ? 'must not end with /v0: the paths of the service are added with it' : null,
      },
      apiKey: { name: 'VOLUNTEERING_API_KEY', kind: 'key', meaning: "the operator's key for volunteering" },
    },
  },
} as const satisfies Readonly<Record<string, ServiceEntry>>;

/** One of the services; subgraphs and configuration use the same name. */
export type ServiceName = keyof typeof SERVICE_ENTRIES;

/** Their names, in the order in which the graph lists them. */
export const SERVICES = Object.keys(SERVICE_ENTRIES) as readonly ServiceName[];

/** The service whose subgraph lists all sources. Any could; each reports on its own. */
export const LISTS_SOURCES: ServiceName = 'work-study';

/** A header in which callers send their own credential for a service. */
export type CredentialHeader = (typeof SERVICE_ENTRIES)[ServiceName]['credential']['header'];

/** Those headers. */
export const CREDENTIAL_HEADERS: readonly CredentialHeader[] = SERVICES.map(
  (name) => SERVICE_ENTRIES[name].credential.header,
);

/** The header with a caller's own credential for a service, as one would write it. */
export function writtenCredential(name: ServiceName, secret: string): string {
  const { header, kind } = SERVICE_ENTRIES[name].credential;
  return kind === 'token'
    ? `${header.charAt(0).toUpperCase()}${header.slice(1)}: Bearer ${secret}`
    : `${header}: ${secret}`;
}

/** A value of each service. */
export function fromEachService<T>(make: (name: ServiceName) => T): Record<ServiceName, T> {
  // Each request makes some: property by property, all of them share one hidden class.
  const made = {} as Record<ServiceName, T>;
  for (const name of SERVICES) made[name] = make(name);
  return made;
}

/** Where the subgraph of a service listens as a process of its own, unless configured otherwise. */
export function subgraphAddress(name: ServiceName): string {
  return `http://127.0.0.1:${SERVICE_ENTRIES[name].port}/graphql`;
}

/** All modes. */
export const UPSTREAM_MODES = ['real', 'sandbox', 'off'] as const;
/** Where a service's data come from: its real servers, the sandbox, or nowhere because it is not configured. */
export type UpstreamMode = (typeof UPSTREAM_MODES)[number];

/** All states, from best to worst. */
export const SOURCE_STATES = ['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF'] as const;
/** State of one source as `/readyz` and the graph's `sources` report it. */
export type SourceState = (typeof SOURCE_STATES)[number];
