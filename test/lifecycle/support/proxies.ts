import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import { read } from '../../house/support/deployed.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { until } from './until.js';

/** The proxies of deploy/, started from the files there with other ports and addresses. */

export type ProxyName = 'nginx' | 'haproxy';

/** A proxy in front of two replicas on loopback. */
export interface RunningProxy {
  /** Where callers send requests. */
  readonly url: string;
  /** All ports that callers may reach. */
  readonly ports: readonly number[];
  /** For nginx, in place of /run/passerelle. */
  readonly folder: string;
  /** Trusts its certificate; each connection comes from `address`. */
  agentFrom(address: string): Agent;
  /** Resolves once it sends requests to the replica at this port, from 0 on. */
  isUp(replica: number): Promise<void>;
  close(): Promise<void>;
}

const MODULES = 'include /etc/nginx/modules-enabled/*.conf;';
/** As root, workers would run as a user who cannot look into the folder. */
const USER = process.getuid?.() === 0 ? 'user root; ' : '';

/** Arguments with which nginx runs in this folder, where its file is. Debian's modules are below the usual one. */
export function nginxIn(folder: string): string[] {
  if (!existsSync(join(folder, 'modules'))) symlinkSync('/usr/lib/nginx/modules', join(folder, 'modules'));
  const settings = `${USER}pid ${folder}/nginx.pid; daemon off; error_log ${folder}/error.log;`;
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', settings];
}

/** Why a proxy cannot be started here; null if it can. */
export function whyMissing(name: ProxyName): string | null {
  if (spawnSync(name, ['-v']).status !== 0) return `${name} is not installed: apt-get install ${name}`;
  if (name === 'haproxy') return null;
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'nginx.conf'), `${MODULES}\nevents {}\nstream {}\n`);
  const { status } = spawnSync('nginx', ['-t', ...nginxIn(folder)]);
  return status === 0 ? null : 'nginx has no module `stream`: apt-get install libnginx-mod-stream';
}

/** Writes nginx.conf into a folder, as it stands in deploy/ but for paths and ports, and a certificate beside it. */
export function writeNginx(folder: string, replicas: readonly number[], ports: Readonly<Record<string, number>>): void {
  mkdirSync(join(folder, 'tls'));
  const [key, certificate] = ['tls.key', 'tls.crt'].map((name) => join(folder, 'tls', name)) as [string, string];
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=localhost'];
  const { status, stderr } = spawnSync('openssl', [...request, '-keyout', key, '-out', certificate]);
  if (status !== 0) throw new Error(`There is no certificate: ${stderr}`);
  const file = read('deploy/replicas/nginx.conf')
    .replaceAll('/etc/nginx/tls', join(folder, 'tls'))
    .replaceAll('/run/passerelle', folder)
    .replaceAll('/dev/stdout', join(folder, 'access.log'))
    .replaceAll(/passerelle-(\d):4000/g, (_, number: string) => `127.0.0.1:${replicas[Number(number) - 1]}`)
    .replaceAll(/(listen |127\.0\.0\.1:)(80|443|9080|9443)\b/g, (_, before: string, port: string) => {
      return `${before}${ports[port]}`;
    });
  writeFileSync(join(folder, 'nginx.conf'), file);
}

/** Checks come ten times as often, as the replicas drain for a tenth of the time. */
function writeHaproxy(folder: string, replicas: readonly number[], port: number): void {
  const servers = replicas.map((replica, at) => `server gateway${at} 127.0.0.1:${replica}`).join('\n  ');
  const file = read('deploy/haproxy.cfg')
    .replace('log stdout format raw local0', `stats socket ${folder}/haproxy.sock`)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('check inter 1s', 'check inter 100ms')
    .replace(' resolvers docker init-addr none', '')
    .replace(/server-template gateway .*/, servers);
  writeFileSync(join(folder, 'haproxy.cfg'), file);
}

/** Ports that are free, none of them twice. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => (probe.address() as { readonly port: number }).port);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}

/** Starts it in front of replicas at these ports. */
export async function startProxy(name: ProxyName, replicas: readonly number[]): Promise<RunningProxy> {
  const folder = temporaryFolder();
  const [plain = 0, tls = 0, innerPlain = 0, innerTls = 0] = await freePorts(4);
  let child: ChildProcess;
  if (name === 'nginx') {
    writeNginx(folder, replicas, { 80: plain, 443: tls, 9080: innerPlain, 9443: innerTls });
    child = spawn('nginx', nginxIn(folder), { stdio: 'inherit' });
    await until(() => existsSync(join(folder, 'nginx.pid')));
  } else {
    writeHaproxy(folder, replicas, plain);
    child = spawn('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db', '-q'], { stdio: 'inherit' });
    await until(() => existsSync(join(folder, 'haproxy.sock')));
  }
  const closed = once(child, 'close');
  const agents: Agent[] = [];
  return {
    url: name === 'nginx' ? `https://127.0.0.1:${tls}` : `http://127.0.0.1:${plain}`,
    ports: name === 'nginx' ? [plain, tls] : [plain],
    folder,
    agentFrom(localAddress) {
      const agent = new Agent({ connect: { localAddress, rejectUnauthorized: false } });
      agents.push(agent);
      return agent;
    },
    async isUp(replica) {
      if (name === 'nginx') return;
      for (let stat = ''; !stat.includes(',UP,'); await setTimeout(20)) {
        const socket = connect(join(folder, 'haproxy.sock')).end('show stat\n');
        stat = (await text(socket)).split('\n').find((line) => line.startsWith(`gateways,gateway${replica},`)) ?? '';
      }
    },
    async close() {
      await Promise.all(agents.map((agent) => agent.destroy()));
      child.kill('SIGTERM');
      await closed;
    },
  };
}
