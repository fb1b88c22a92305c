import { vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/index.js';
import { type AuthStack, startAuthStack } from '../../auth/support/auth-stack.js';
import { plainMissions, the } from '../../scenarios/samples.js';
import type { Shape } from '../../scenarios/stack.js';
import type { Operation, Root } from './generated-operation.js';
import { createPlainGraph, type PlainResponse } from './plain-graph.js';
import { post } from './post.js';

/** The product, and what is true of its graph. */
export interface GraphStack {
  readonly stack: AuthStack;
  readonly roots: readonly Root[];
  /** Somebody without a key, and somebody who is logged in. */
  readonly callers: readonly [Caller, Caller];
}

/** Who sends operations, and what is true for them. */
export interface Caller {
  readonly resolver: ReturnType<typeof createPlainGraph>;
  send(operation: Operation): Promise<PlainResponse>;
  /** Makes everything old that was fetched, so that the next query has to fetch it anew. */
  forget(): Promise<void>;
}

/** Longer than anything may be served stale. */
const FORGOTTEN_MS = 8 * 24 * 60 * 60_000;
/** A window of each service's quota. */
const WINDOW_MS = 61_000;

/** Codes of a moment: the same query would be answered in the next window. */
const PASSING = new Set(['RATE_LIMITED', 'TOO_MANY_REQUESTS', 'UPSTREAM_TIMEOUT', 'DEADLINE_EXCEEDED']);
const MOST_REPEATS = 5;

/**
 * Starts the product in front of a sandbox. The clock must be a fake one; that of the sandbox stands still, because
 * offers expire, and so does the order of its missions. Some values have wrong types, always the same.
 */
export async function startGraphStack(shape: Shape): Promise<GraphStack> {
  const startedAt = Date.now();
  const sandbox = { scale: 0.1, now: () => startedAt };
  const stack = await startAuthStack({ shape, sandbox, env: { MAX_CALLS_PER_REQUEST: '1000000' } });
  openWindows(stack);
  const forget = async () => openWindows(stack, FORGOTTEN_MS);
  let cookie = '';

  function caller(headers: () => Record<string, string>): Caller {
    const send = async (body: Partial<Operation>): Promise<PlainResponse> => {
      for (let time = 1; time <= MOST_REPEATS; time += 1) {
        const { data, errors } = await post(stack.url, body, headers());
        if (!errors.some(({ extensions }) => PASSING.has(extensions.code))) return { data, errors };
        openWindows(stack);
      }
      throw new Error(`${MOST_REPEATS} windows of the services' quota are not enough for this:\n${body.query}`);
    };
    return { send, forget, resolver: createPlainGraph((query) => send({ query })) };
  }

  /** A session does not outlive what is forgotten. */
  async function forgetAndLogIn(): Promise<void> {
    await forget();
    const { browser, user } = stack.person();
    await stack.logIn(browser, user);
    cookie = `passerelle=${stack.sessionCookie(browser)}`;
  }

  return {
    stack,
    roots: rootsOf(stack),
    callers: [caller(() => ({})), { ...caller(() => ({ cookie })), forget: forgetAndLogIn }],
  };
}

function openWindows({ sandbox }: AuthStack, ms = WINDOW_MS): void {
  vi.setSystemTime(Date.now() + ms);
  const { volunteering, workStudy } = sandbox;
  // It restores the switches.
  for (const service of sandbox.running) service.reset();
  volunteering.order = 'stable';
  volunteering.callsPerMinute = 1_000_000;
  for (const service of [volunteering, workStudy]) {
    // An unchanged response would come without a body (304), in which nothing could be changed.
    service.fault({ kind: 'headers', headers: { etag: null } });
    service.fault({ kind: 'wrong-type', change: (body) => spoilt(body, '') });
  }
}

/** Some texts of a body become objects: the same text under the same key always does, wherever it is. */
function spoilt(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => spoilt(item, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoilt(inner, name)]));
  }
  return typeof value === 'string' && isChosen(`${key} ${value}`) ? { wrong: value } : value;
}

/** One text in about 60. */
function isChosen(text: string): boolean {
  let mixed = 0;
  for (let at = 0; at < text.length; at += 1) mixed = (Math.imul(mixed, 31) + text.charCodeAt(at)) >>> 0;
  return mixed % 61 === 0;
}

/** Root fields of every kind, with arguments that find something, or nothing. */
export function rootsOf({ sandbox: { world } }: { readonly sandbox: Sandbox }): readonly Root[] {
  const missions = plainMissions(world).slice(0, 5);
  const { id, rna } = the(missions[0]);
  const lists: readonly Root[] = [
    { name: 'missions', values: { first: 3 } },
    { name: 'missions', values: { first: 7 } },
    { name: 'missions', values: { first: 2, remote: ['NO'] } },
    { name: 'missions', values: { first: -1 }, depth: 2 },
    { name: 'missionSearch', values: { first: 4, lat: 48.85, lon: 2.35, distance: 200 } },
    { name: 'missionSearch', values: { first: 2, sortBy: 'CREATED_AT' } },
    { name: 'missionCounts', values: { by: ['DEPARTMENT'] } },
    { name: 'organizations', values: { q: 'les', first: 3 } },
    { name: 'communes', values: { code: '29200' } },
    { name: 'communesByName', values: { name: 'saint', first: 3 } },
    { name: 'departements', values: {}, depth: 2 },
    { name: 'missionsLocales', values: { latitude: 48.85, longitude: 2.35, radius: 20 } },
    { name: 'certifications', values: { rncp: 'RNCP37537', first: 3 } },
    { name: 'formations', values: { rncp: 'RNCP37537', first: 2 } },
    { name: 'jobSearch', values: { departements: ['29'] }, depth: 4 },
    { name: 'organismes', values: { first: 2 } },
    { name: 'sources', values: {} },
    { name: 'sources', values: {} },
    { name: 'viewer', values: {} },
  ];
  const objects = missions.flatMap((mission): Root[] => [
    { name: 'mission', values: { id: mission.id } },
    { name: 'organization', values: { rna: mission.rna } },
    { name: 'commune', values: { insee: mission.insee } },
  ]);
  const odd: readonly Root[] = [
    { name: 'mission', values: { id: 'unknown-mission' } },
    { name: 'organization', values: { rna: 'wrong' } },
    { name: 'organization', values: { rna, siret: null } },
    { name: 'organization', values: {} },
    { name: 'commune', values: { insee: 'wrong' } },
    { name: 'commune', values: { insee: '75056' } },
    { name: 'formation', values: { id } },
    { name: 'jobOffer', values: { id: '0123456789abcdef01234567' } },
  ];
  return [...lists, ...objects, ...odd];
}
