import type { SandboxKeys } from './server/keys.js';
import type { ListenOptions } from './server/service.js';
import type { SandboxService } from './server/types.js';
import {
  startVolunteering,
  type VolunteeringService,
  type VolunteeringSwitches,
  volunteeringKeys,
} from './volunteering/index.js';
import { startWaste, type WasteService, wasteClient, wasteToken } from './waste/index.js';
import { workStudyKeys } from './work-study/http/callers.js';
import { startWorkStudy, type WorkStudyService } from './work-study/index.js';
import { sharedWorld, type WorldOptions } from './world/index.js';
import type { World } from './world/types.js';

/** The services of the sandbox. */
export const SANDBOX_SERVICES = ['work-study', 'volunteering', 'waste-identity'] as const;

/** A service of the sandbox. */
export type SandboxServiceName = (typeof SANDBOX_SERVICES)[number];

/** Options for starting the sandbox. */
export interface SandboxOptions extends Pick<ListenOptions, 'era' | 'now' | 'onUnknownPath'>, WorldOptions {
  /** Data to use instead of the generated world. */
  readonly world?: World;
  /** Which services to start; all three if omitted. */
  readonly services?: readonly SandboxServiceName[];
  /** Switches of volunteering that differ from their defaults, also after a reset. */
  readonly volunteering?: Partial<VolunteeringSwitches>;
  /** Fixed ports; any free port where omitted. */
  readonly ports?: Partial<Readonly<Record<SandboxServiceName | 'waste-ui', number>>>;
}

/** The running services on one world. Accessing a service that was not started throws. */
export interface Sandbox {
  readonly world: World;
  readonly workStudy: WorkStudyService;
  readonly volunteering: VolunteeringService;
  readonly waste: WasteService;
  /** What all services have in common of one of them. */
  serviceOf(name: SandboxServiceName): SandboxService;
  readonly keys: typeof sandboxCredentials;
  /** The services that were started, by name and as they are. */
  readonly services: readonly SandboxServiceName[];
  readonly running: readonly SandboxService[];
  close(): Promise<void>;
}

/** All credentials of the sandbox; they are valid nowhere else. */
const sandboxCredentials: {
  readonly workStudy: SandboxKeys;
  readonly volunteering: SandboxKeys;
  readonly waste: { readonly client: typeof wasteClient; readonly token: string };
} = {
  workStudy: workStudyKeys,
  volunteering: volunteeringKeys,
  waste: { client: wasteClient, token: wasteToken },
};

/** Starts the services of the sandbox on 127.0.0.1, the small one in under two seconds. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { services = SANDBOX_SERVICES, ports = {} } = options;
  const world = options.world ?? sharedWorld(options);
  const listen = (name: SandboxServiceName): ListenOptions & { world: World } => ({
    world,
    ...(options.era !== undefined && { era: options.era }),
    ...(options.now !== undefined && { now: options.now }),
    ...(options.onUnknownPath !== undefined && { onUnknownPath: options.onUnknownPath }),
    ...(ports[name] !== undefined && { port: ports[name] }),
  });
  const uiPort = ports['waste-ui'];
  const [workStudy, volunteering, waste] = await allOrNone([
    services.includes('work-study') ? startWorkStudy(listen('work-study')) : undefined,
    services.includes('volunteering')
      ? startVolunteering({ ...listen('volunteering'), switches: options.volunteering ?? {} })
      : undefined,
    services.includes('waste-identity')
      ? startWaste({ ...listen('waste-identity'), ...(uiPort !== undefined && { uiPort }) })
      : undefined,
  ]);
  const byName: Readonly<Record<SandboxServiceName, SandboxService | undefined>> = {
    'work-study': workStudy,
    volunteering,
    'waste-identity': waste,
  };
  const running = Object.values(byName).filter((service) => service !== undefined);
  return {
    world,
    get workStudy() {
      return started(workStudy, 'work-study');
    },
    get volunteering() {
      return started(volunteering, 'volunteering');
    },
    get waste() {
      return started(waste, 'waste-identity');
    },
    serviceOf: (name) => started(byName[name], name),
    keys: sandboxCredentials,
    services,
    running,
    async close() {
      await Promise.all(running.map((service) => service.close()));
    },
  };
}

/** What all of them start; if one fails, the others are closed, since they would keep the process alive. */
async function allOrNone<const T extends readonly (Promise<SandboxService> | undefined)[]>(starting: T) {
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value?.close();
    throw error;
  }
}

function started<T>(service: T | undefined, name: SandboxServiceName): T {
  if (service === undefined) throw new Error(`the sandbox was started without ${name}`);
  return service;
}
