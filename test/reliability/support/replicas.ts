import '../../supergraph-once.js';
import { rm } from 'node:fs/promises';
import { start } from '../../../main.js';
import { readConfiguration } from '../../../runtime/configuration/configuration.js';
import type { Role } from '../../../runtime/configuration/role.js';
import { variablesOf } from '../../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { createMemoryLog, type MemoryLog } from '../../scenarios/memory-log.js';
import { type SendOptions, type StackResponse, send } from '../../scenarios/stack.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { smallWorld } from './small-world.js';

/** What replicas that share a store have in common. */
const SESSION_SECRET = 'a-session-secret-of-the-reliability-tests';

/** One process of the product, as far as a test can tell. */
export interface Replica {
  readonly url: string;
  readonly log: MemoryLog;
  /** Begins to load the export, as a process does that somebody started. */
  warmUp(): void;
  send(query: string, options?: SendOptions): Promise<StackResponse>;
  close(): Promise<void>;
}

/** Any number of replicas in front of one sandbox. */
export interface Replicas {
  readonly sandbox: Sandbox;
  /** Starts one more, which fetches nothing ahead. All have one folder for what survives a restart. */
  open(env?: Record<string, string>, role?: Role): Promise<Replica>;
  /** The folder, which outlives the replicas. */
  readonly cacheDir: string;
  close(): Promise<void>;
}

/** Opens the sandbox; replicas are opened one by one. `env` holds variables for all of them. */
export async function openReplicas(env: Record<string, string> = {}, world = smallWorld()): Promise<Replicas> {
  const sandbox = await startSandbox({ world });
  const cacheDir = temporaryFolder();
  const running = new Set<Replica>();

  async function open(more: Record<string, string> = {}, role: Role = 'all'): Promise<Replica> {
    const log = createMemoryLog();
    const variables = { ...variablesOf(sandbox), PORT: '0', CACHE_DIR: cacheDir, SESSION_SECRET, ...env, ...more };
    const { url, warmUp, close } = await start(readConfiguration(role, variables), log);
    const replica: Replica = {
      url,
      log,
      warmUp,
      send: (query, options) => send(url, query, options),
      async close() {
        running.delete(replica);
        await close();
      },
    };
    running.add(replica);
    return replica;
  }

  return {
    sandbox,
    cacheDir,
    open,
    async close() {
      for (const replica of running) await replica.close();
      await sandbox.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
}
