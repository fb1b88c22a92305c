import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Agent, request } from 'undici';
import { root } from '../../house/support/deployed.js';
import { SHORT_LIVED } from '../../v8-flags.js';
import type { LoadResult } from './load.js';
import { freePorts, type ProxyName, type RunningProxy, startProxy } from './proxies.js';

/** A tenth of its default in production. */
const DRAIN_MS = '500';
const CALLERS = 4;
const PAUSE_MS = 2;

/** Two replicas behind a proxy of deploy/, each a process of its own that keeps its port when it restarts. */
async function openFleet(name: ProxyName) {
  const ports = await freePorts(2);
  const running: ChildProcess[] = [];
  async function start(at: number): Promise<void> {
    const port = ports[at] ?? 0;
    const nowhere = ['WORK_STUDY', 'WASTE_IDENTITY', 'VOLUNTEERING'].map((one) => [
      `SUBGRAPH_${one}_URL`,
      'http://127.0.0.1:1/graphql',
    ]);
    const own = {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      CACHE_DIR: 'off',
      LOG_LEVEL: 'silent',
      DRAIN_MS,
    };
    const child = spawn(process.execPath, [...SHORT_LIVED, join(root, 'dist/main.js'), 'gateway'], {
      env: { ...own, TRUSTED_PROXIES: '127.0.0.1', ...Object.fromEntries(nowhere) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running[at] = child;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) await setTimeout(20);
  }
  async function stop(at: number): Promise<void> {
    const child = running[at];
    if (child === undefined) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
  await Promise.all([start(0), start(1)]);
  const proxy = await startProxy(name, ports);
  await Promise.all([proxy.isUp(0), proxy.isUp(1)]);
  return {
    proxy,
    async restart(at: number) {
      await stop(at);
      await start(at);
      await proxy.isUp(at);
    },
    async close() {
      await proxy.close();
      await Promise.all([stop(0), stop(1)]);
    },
  };
}

/** Asks through the proxy; resolves with null, or with what came instead of the answer. */
async function ask({ url }: RunningProxy, dispatcher: Agent): Promise<string | null> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: '{"query":"{ __typename }"}', dispatcher } as const;
  try {
    const { statusCode, body } = await request(`${url}/graphql`, sent);
    const text = await body.text();
    return text === '{"data":{"__typename":"Query"}}' ? null : `${statusCode} ${text}`;
  } catch (error) {
    return String(error);
  }
}

/**
 * Restarts the two replicas behind a proxy in turn, this many times each, under constant load: behind nginx by the
 * script of deploy/replicas, with a `docker` that does the same to these processes.
 */
export async function restartBehind(name: ProxyName, times: number): Promise<LoadResult> {
  const { proxy, restart, close } = await openFleet(name);
  const script = await openScript(proxy, restart);
  const dropped: string[] = [];
  let answered = 0;
  let isOver = false;
  const agent = proxy.agentFrom('127.0.0.2');
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const instead = await ask(proxy, agent);
      if (instead === null) answered += 1;
      else dropped.push(instead);
      await setTimeout(PAUSE_MS);
    }
  });
  try {
    for (let time = 0; time < times; time += 1) {
      if (name === 'nginx') await script.run();
      else for (const at of [0, 1]) await restart(at);
    }
  } finally {
    isOver = true;
    await Promise.all(callers);
    await script.close();
    await close();
  }
  return { answered, dropped };
}

/** Runs deploy/replicas/restart.sh with the commands that it gives to `docker compose` carried out here. */
async function openScript({ folder }: RunningProxy, restart: (at: number) => Promise<void>) {
  const control = createServer(({ url = '' }, response) => {
    restart(Number(url.at(-1)) - 1).then(
      () => response.end(),
      () => response.writeHead(500).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(control, 'listening');
  const { port } = control.address() as { readonly port: number };
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  // Of the arguments, the last names the file or the replica.
  const commands = `#!/bin/sh
for last; do :; done
case "$*" in
  "compose exec -T nginx touch "* | "compose exec -T nginx rm "*) "$5" "${folder}/\${last#/run/passerelle/}" ;;
  "compose up --no-deps --force-recreate --wait "*) curl -fsS "http://127.0.0.1:${port}/$last" ;;
  *) exit 2 ;;
esac
`;
  writeFileSync(join(bin, 'docker'), commands);
  chmodSync(join(bin, 'docker'), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  return {
    run: () => promisify(execFile)('sh', [join(root, 'deploy/replicas/restart.sh')], { env }),
    async close() {
      control.close();
      control.closeAllConnections();
      await once(control, 'close');
    },
  };
}

/** Of a request, and of the first message of TLS. */
const HALF = 'POST /graphql HTTP/1.1\r\nhost: here\r\ncontent-type: applic';
const HALF_OF_TLS = Buffer.from([0x16, 3, 1, 2, 0, 1]);

/** How others fared while one address held half requests. */
export interface FloodResult {
  readonly answered: number;
  readonly dropped: readonly string[];
  /** Connections with half a request that were still open after that. */
  readonly held: number;
  /** Of the slowest that was answered, connecting included. */
  readonly slowestMs: number;
}

/**
 * Opens this many connections from one address, at all ports of a proxy in turns, each with half of a request; meanwhile
 * and then, another address sends requests on new connections, one after the other.
 */
export async function floodBehind(name: ProxyName, halves: number, requests: number): Promise<FloodResult> {
  const { proxy, close } = await openFleet(name);
  const sockets: Socket[] = [];
  const flooding = (async () => {
    for (let sent = 0; sent < halves; sent += 1) {
      const port = proxy.ports[sent % proxy.ports.length] ?? 0;
      const isTls = proxy.url === `https://127.0.0.1:${port}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' });
      socket.on('error', () => {});
      socket.write(isTls ? HALF_OF_TLS : HALF);
      sockets.push(socket);
      if (sent % 100 === 99) await setTimeout(1);
    }
  })();
  const dropped: string[] = [];
  let slowestMs = 0;
  let held = 0;
  try {
    for (let sent = 0; sent < requests; sent += 1) {
      if (sent === requests / 2) await flooding;
      const agent = proxy.agentFrom('127.0.0.2');
      const begin = performance.now();
      const instead = await Promise.race([ask(proxy, agent), setTimeout(5_000, 'no answer within 5 s')]);
      slowestMs = Math.max(slowestMs, performance.now() - begin);
      if (instead !== null) dropped.push(instead);
      await agent.destroy();
    }
    held = sockets.filter(({ readyState }) => readyState === 'open').length;
  } finally {
    for (const socket of sockets) socket.destroy();
    await close();
  }
  return { answered: requests - dropped.length, dropped, held, slowestMs };
}
