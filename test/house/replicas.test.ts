import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { nginxIn, whyMissing, writeNginx } from '../lifecycle/support/proxies.js';
import { temporaryFolder } from '../temporary-folder.js';
import {
  composedProcesses,
  composeOf,
  filledIn,
  IMAGE,
  type Node,
  objectsOf,
  podProcesses,
  read,
  root,
} from './support/deployed.js';

const compose = composeOf('deploy/replicas/compose.yaml');
const objects = objectsOf('deploy/replicas/kubernetes.yaml');
const unit = read('deploy/replicas/passerelle@.service');
const nginx = read('deploy/replicas/nginx.conf');

/** The environment that the unit gives an instance, whose settings an operator fills in. */
function unitEnvironment(instance: string): Record<string, string> {
  const own = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  const [{ env = {} } = {}] = podProcesses(objects);
  const file = Object.entries(env).filter(([name]) => !/^(PORT|METRICS_|NODE_OPTIONS|TRUSTED)/.test(name));
  return {
    ...Object.fromEntries(file),
    ...Object.fromEntries(own.map((pair) => pair.replace('%i', instance).split(/=(.*)/s).slice(0, 2))),
  };
}

const processes = [
  ...composedProcesses(compose),
  ...podProcesses(objects),
  ...['4001', '4002'].map((name) => ({ name, command: [], env: unitEnvironment(name), mounts: [] })),
].map((one) => [one.name, one] as const);

describe('Replicas of the whole process', () => {
  test.each(processes)('%s has settings that are accepted, and calls every service', (_name, { env, mounts }) => {
    const settings = readConfiguration('all', filledIn(env));
    expect([settings.production, settings.cache === null, settings.trustedProxies.length > 0]).toEqual([
      true,
      false,
      true,
    ]);
    expect(SERVICES.map((service) => settings.upstreams[service].mode)).toEqual(SERVICES.map(() => 'real'));
    expect(settings.keepAliveMs).toBeGreaterThan(1000 * Number(/keepalive_timeout (\d+)s/.exec(nginx)?.[1]));
    for (const mount of mounts) expect(mount).toBe(IMAGE['CACHE_DIR']);
  });

  test('get memory of which V8 takes three quarters, and more time to end than they need', () => {
    const [replica] = Object.values<Node>(compose.services).filter(({ build }) => build);
    const limits = [
      [replica.deploy.resources.limits.memory, replica.environment.NODE_OPTIONS],
      [/^MemoryMax=(.*)$/m.exec(unit)?.[1], /NODE_OPTIONS=(\S+)/.exec(unit)?.[1]],
      ...objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec.template.spec.containers[0])
        .map(({ resources, env }) => [
          resources.limits.memory,
          env.find((one: Node) => one.name === 'NODE_OPTIONS').value,
        ]),
    ];
    for (const [memory, flag] of limits)
      expect(flag).toBe(`--max-old-space-size=${(Number.parseInt(memory, 10) * 1024 * 3) / 4}`);
    const { drainMs, requestDeadlineMs } = readConfiguration('all', filledIn(unitEnvironment('4001')));
    const times = [replica.stop_grace_period, /^TimeoutStopSec=(.*)$/m.exec(unit)?.[1]];
    for (const time of times) expect(1000 * Number.parseInt(time, 10)).toBeGreaterThan(drainMs + requestDeadlineMs);
  });

  test('are what nginx and the compose file name', () => {
    const named = (upstream: string) =>
      [...(nginx.split(`upstream ${upstream} {`)[1]?.split('}')[0] ?? '').matchAll(/server (\S+):(\d+)(.*);/g)].map(
        ([, name, port, rest]) => [name, port, rest],
      );
    const [one = [], two = []] = composedProcesses(compose).map(({ name, env }) => [name, env['PORT']]);
    const usual = ' max_fails=1 fail_timeout=2s';
    expect(named('both')).toEqual([
      [...one, usual],
      [...two, usual],
    ]);
    expect(named('without-1')).toEqual([
      [...two, ''],
      [...one, ' backup'],
    ]);
    expect(named('without-2')).toEqual([
      [...one, ''],
      [...two, ' backup'],
    ]);
    // nginx looks them up once.
    const addresses = Object.values<Node>(compose.services).flatMap((one) => one.networks?.default.ipv4_address ?? []);
    expect(new Set(addresses).size).toBe(3);
    const [replica] = composedProcesses(compose);
    expect(replica?.env['TRUSTED_PROXIES']).toBe(compose.services.nginx.networks.default.ipv4_address);
  });

  test('are written into the file of nginx beside the unit by the command that the guide has', () => {
    const [, command = ''] = /^ {3}(sed .*) \\$/m.exec(read('docs/scaling.md')) ?? [];
    const { stdout, status } = spawnSync('sh', ['-c', `${command} deploy/replicas/nginx.conf`], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stdout.match(/passerelle-\d|dev.stdout|out-\d\b/g)]).toEqual([0, null]);
    for (const port of ['4001', '4002']) {
      expect(stdout).toContain(`-e /run/passerelle/out-${port}`);
      expect(stdout.match(new RegExp(`server 127.0.0.1:${port}`, 'g'))).toHaveLength(3);
    }
  });

  test('are out of nginx by the unit from before their signal to end until they are ready', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out-4001');
    const server = createServer((_request, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { readonly port: number };
    const run = (name: string) => {
      const [, command = ''] = new RegExp(`^${name}=(.*)$`, 'm').exec(unit) ?? [];
      const here = command.replaceAll('/run/passerelle', folder).replace('127.0.0.1:%i', `127.0.0.1:${port}`);
      return promisify(execFile)('sh', ['-c', here.replaceAll('%i', '4001')]);
    };
    await run('ExecStop');
    expect(existsSync(out)).toBe(true);
    await run('ExecStartPost');
    expect(existsSync(out)).toBe(false);
    server.close();
  });

  const why = whyMissing('nginx');
  test.skipIf(why !== null)(
    `stand behind settings that nginx accepts${why === null ? '' : ` (skipped: ${why})`}`,
    () => {
      const folder = temporaryFolder();
      writeNginx(folder, [4001, 4002], { 80: 80, 443: 443, 9080: 9080, 9443: 9443 });
      const { status, stderr } = spawnSync('nginx', ['-t', ...nginxIn(folder)], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
    },
  );
});

describe('The manifests', () => {
  const FILES = [
    'kubernetes/gateway',
    'kubernetes/subgraphs',
    'kubernetes/network',
    'kubernetes/ingress',
    'replicas/kubernetes',
  ];
  const manifests = FILES.flatMap((file) => objectsOf(`deploy/${file}.yaml`));

  test('have only fields that Kubernetes knows, of the right types', () => {
    const folder = mkdtempSync(join(root, 'node_modules/.cache/passerelle/manifests-'));
    try {
      const lines = manifests.map(({ apiVersion, kind, ...rest }, at) => {
        const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
        const module = `kubernetes-types/${group.split('.')[0]}/${version}.js`;
        return `export const o${at}: import('${module}').${kind} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
      });
      const file = join(folder, 'manifests.ts');
      writeFileSync(file, lines.join('\n'));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const flags = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
        '--types',
        'node',
        '--ignoreConfig',
        file,
      ];
      const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags], { encoding: 'utf8' });
      expect([stdout, status]).toEqual(['', 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('hold the restricted Pod Security standard, and give a pod nothing of the cluster', () => {
    for (const { kind, metadata, spec } of manifests.filter((one) => one.kind === 'Deployment')) {
      const pod = spec.template.spec;
      expect([kind, metadata.name, pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([
        'Deployment',
        metadata.name,
        false,
        false,
      ]);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.topologySpreadConstraints).toHaveLength(1);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
        const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
        expect(probes.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([3, 3, 3]);
      }
    }
  });

  test('select pods and ports that there are', () => {
    const pods = manifests.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template);
    const ports = new Set(pods.flatMap(({ spec }) => spec.containers[0].ports.map(({ name }: Node) => name)));
    const [monitor] = objectsOf('deploy/kubernetes/monitoring.yaml');
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    for (const { podSelector } of [...policies.map(({ spec }) => spec), { podSelector: monitor.spec.selector }]) {
      const matching = pods.filter(({ metadata }) =>
        Object.entries(podSelector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
      );
      expect(matching.length).toBeGreaterThan(0);
    }
    const used = policies.flatMap(({ spec }) => spec.ingress.flatMap((rule: Node) => rule.ports));
    for (const { port } of [...used, ...monitor.spec.podMetricsEndpoints]) expect(ports).toContain(port);
    const labels = monitor.spec.podMetricsEndpoints[0].relabelings.map(({ targetLabel }: Node) => targetLabel);
    // The alerts ask for both.
    expect(labels.sort()).toEqual(['job', 'role']);
    const { resources } = objectsOf('deploy/kubernetes/kustomization.yaml')[0];
    expect(resources).toEqual(['gateway.yaml', 'subgraphs.yaml', 'network.yaml', 'ingress.yaml']);
  });
});
