import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import type { Role } from '../../runtime/configuration/role.js';
import { SHORT_LIVED } from '../v8-flags.js';

/** Guards that the product starts with what a kubelet puts into the environment of a pod. */

const ROOT = new URL('../../', import.meta.url).pathname;

// biome-ignore lint/suspicious/noExplicitAny: the manifests have the shapes of Kubernetes, which the assertions name.
type Node = any;

const objects: readonly Node[] = ['gateway', 'subgraphs'].flatMap((file) =>
  parseAllDocuments(readFileSync(`${ROOT}deploy/kubernetes/${file}.yaml`, 'utf8')).map((document) => document.toJS()),
);
const pods = objects.flatMap(({ metadata, spec }) =>
  spec?.template === undefined ? [] : [[metadata.name as string, spec.template.spec] as const],
);

/** The variables of one service, in the two forms that a kubelet gives them. */
function serviceLinks(name: string, ports: readonly Node[], address = '10.96.0.7'): Record<string, string> {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const host = address.includes(':') ? `[${address}]` : address;
  const [{ port: first, protocol: firstProtocol = 'TCP' }] = ports;
  const links: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: String(first),
    [`${prefix}_PORT`]: `${firstProtocol.toLowerCase()}://${host}:${first}`,
  };
  for (const { name: portName, port, protocol = 'TCP' } of ports) {
    const link = `${prefix}_PORT_${port}_${protocol}`;
    if (portName !== undefined)
      links[`${prefix}_SERVICE_PORT_${portName.toUpperCase().replaceAll('-', '_')}`] = `${port}`;
    links[link] = `${protocol.toLowerCase()}://${host}:${port}`;
    links[`${link}_PROTO`] = protocol.toLowerCase();
    links[`${link}_PORT`] = String(port);
    links[`${link}_ADDR`] = address;
  }
  return links;
}

/** What this machine has instead of a cluster; the rest is as the manifest says. Nothing listens on port 9. */
const HERE = { HOST: '127.0.0.1', PORT: '0', METRICS_HOST: '127.0.0.1', METRICS_PORT: '0', DRAIN_MS: '0' };
const nearby = (value: string) => value.replace(/^https?:\/\/[^/]+/, 'http://127.0.0.1:9');

/** The environment of a container: the links of all services of the namespace, then its own variables. */
function environmentOf({ containers: [{ env }] }: Node): Record<string, string> {
  const services = objects.filter(({ kind }) => kind === 'Service');
  const own = env.map(({ name, value }: Node) => [name, nearby(value ?? `filled-in-by-the-operator-${name}`)]);
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    ...serviceLinks('kubernetes', [{ name: 'https', port: 443 }], '10.96.0.1'),
    ...Object.assign({}, ...services.map(({ metadata, spec }) => serviceLinks(metadata.name, spec.ports))),
    // Others of the namespace: several protocols, and a cluster of IPv6.
    ...serviceLinks('waste-dns', [{ name: 'udp', port: 53, protocol: 'UDP' }, { port: 53 }], 'fd00:10:96::a'),
    ...serviceLinks('passerelle-signals', [{ name: 'm3ua', port: 2905, protocol: 'SCTP' }]),
    ...Object.fromEntries(own),
    ...{ ...HERE, CACHE_URL: '', CACHE_DIR: 'off' },
  };
}

/** The role that a container's command starts: its last word. */
const roleOf = ({ containers: [{ args }] }: Node): Role => args.at(-1);

let started: ChildProcess | null = null;
afterEach(() => void started?.kill('SIGKILL'));

/** Starts a container's command; ends it once it answers. Returns its exit code and what it wrote. */
async function startAndEnd(args: readonly string[], env: Record<string, string>) {
  const [, ...command] = args;
  const child = spawn(process.execPath, [...SHORT_LIVED, ...command], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started = child;
  let output = '';
  const read = (text: Buffer) => {
    if (String(text).includes('startup complete')) child.kill('SIGTERM');
    output += String(text);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

describe('A pod of deploy/kubernetes', () => {
  it('asks for no service links, whatever its kind', () => {
    expect(pods.length).toBeGreaterThan(3);
    expect(pods.filter(([, spec]) => spec.enableServiceLinks !== false).map(([name]) => name)).toEqual([]);
  });

  it.each(pods)('has a good configuration with the service links of its namespace: %s', (_name, spec) => {
    expect(readConfiguration(roleOf(spec), environmentOf(spec)).production).toBe(true);
  });

  it.for(pods.filter(([name]) => name === 'volunteering'))(
    'starts and ends in good order with the service links of its namespace: %s',
    async ([, spec]) => {
      const { code, output } = await startAndEnd(spec.containers[0].args, environmentOf(spec));
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Passerelle answers at http://') });
      // The heap of the manifest, not of this machine.
      const limitMb = Number(/=(\d+)/.exec(environmentOf(spec)['NODE_OPTIONS'] ?? '')?.[1]);
      const [, percent, heapMb] = /caches have (\d+) % of their size: heap (\d+) MB/.exec(output) ?? [];
      expect(Number(heapMb)).toBeGreaterThanOrEqual(limitMb);
      expect(Number(percent)).toBeLessThan(60);
    },
  );

  it('does not start with a name that only resembles a link, and is told each', () => {
    const [, spec] = pods[0] as (typeof pods)[0];
    const misspelt = { METRIC_PORT: '9464', WORK_STUDY_PORT: '4001', SUBGRAPH_SERVICE_HOST: 'http://work-study' };
    const mistakes = [
      'WORK_STUDY_PORT is not a variable of Passerelle: see --help',
      'METRIC_PORT is not a variable of Passerelle. Did you mean METRICS_PORT?',
      'SUBGRAPH_SERVICE_HOST is not a variable of Passerelle: see --help',
    ];
    const read = () => readConfiguration(roleOf(spec), { ...environmentOf(spec), ...misspelt });
    expect(read).toThrow(expect.objectContaining({ mistakes }));
  });

  it('says in one sentence that the link of a service stands where one of its own variables should', () => {
    const [, spec] = pods[0] as (typeof pods)[0];
    const { METRICS_PORT: _, ...env } = environmentOf(spec);
    const links = serviceLinks('metrics', [{ port: 9090 }]);
    const mistakes = [
      'METRICS_PORT holds the link that Kubernetes makes to a service named metrics: set it in the container, or enableServiceLinks: false in the pod',
    ];
    const read = () => readConfiguration(roleOf(spec), { ...env, ...links });
    expect(read).toThrow(expect.objectContaining({ mistakes }));
  });
});
