import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Sandbox } from '../../sandbox/index.js';
import type { Chance } from '../../test/chance.js';
import type { SoakOperation } from './soak-operations.js';

/** People who send queries continuously until it is stopped. */
export interface Load {
  /** Results of the queries so far. `broken` should stay empty: it counts responses that no trouble excuses. */
  readonly counts: { answered: number; withErrors: number; left: number; readonly broken: Map<string, number> };
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly operations: readonly SoakOperation[];
  readonly chance: Chance;
}

const PEOPLE = 8;
/** Longest pause of one person between two queries. */
const PAUSE_MS = 150;
/** Share of queries that are abandoned before their response. */
const LEAVING = 0.05;

export function startLoad({ url, sandbox, operations, chance }: LoadOptions): Load {
  const counts: Load['counts'] = { answered: 0, withErrors: 0, left: 0, broken: new Map() };
  const agent = new Agent({ connections: PEOPLE });
  const keys = [{}, {}, { 'x-work-study-key': sandbox.keys.workStudy.bob }];
  let stopped = false;

  async function send({ query, variables, headers }: SoakOperation): Promise<void> {
    const leaving = chance.happens(LEAVING) ? { signal: AbortSignal.timeout(chance.int(1, 100)) } : {};
    const response = await request(`${url}/graphql`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${sandbox.keys.waste.token}`,
        ...chance.pick(keys),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      ...leaving,
    });
    const text = await response.body.text();
    const codes = [...text.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code ?? '');
    counts.answered += 1;
    if (codes.length > 0) counts.withErrors += 1;
    if (response.statusCode >= 500 || codes.includes('INTERNAL')) broken(`${response.statusCode} ${codes.join(' ')}`);
  }

  function broken(what: string): void {
    counts.broken.set(what, (counts.broken.get(what) ?? 0) + 1);
  }

  async function sendOn(): Promise<void> {
    while (!stopped) {
      try {
        await send(chance.pick(operations));
      } catch (error) {
        if (error instanceof Error && error.name === 'TimeoutError') counts.left += 1;
        else broken(String(error));
      }
      await pause(chance.between(0, PAUSE_MS));
    }
  }

  const people = Array.from({ length: PEOPLE }, sendOn);
  return {
    counts,
    async stop() {
      stopped = true;
      await Promise.all(people);
      await agent.destroy();
    },
  };
}
