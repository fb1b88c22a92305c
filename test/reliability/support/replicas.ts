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

/** The secret that replicas must have in common to share a store. */
const SESSION_SECRET = 'a-session-secret-of-the-reliability-tests';

/** One replica of the product; it runs in this process, but behaves as if it were one of its own. */
export interface Replica {
  readonly url: string;
  readonly log: MemoryLog;
  /** Starts loading the export, as a process does after its start. */
  warmUp(): void;
  send(query: string, options?: SendOptions): Promise<StackResponse>;
  close(): Promise<void>;
}

/** Any number of replicas in front of one sandbox. */
export interface Replicas {
  readonly sandbox: Sandbox;
  /** Starts one more, which prefetches nothing. All share one folder for what survives a restart. */
  open(env?: Record<string, string>, role?: Role): Promise<Replica>;
  /** That folder, which outlives the replicas. */
  readonly cacheDir: string;
  close(): Promise<void>;
}

/** Starts the sandbox; replicas are opened one by one. `env` has variables for all of them. */
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
