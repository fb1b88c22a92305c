import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROBE_MS } from '../../gateway/remote/http-subgraph.js';
import { SERVICES } from '../../kernel/services.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { Metrics } from '../../runtime/process/metrics.js';
import {
  composedProcesses,
  composeOf,
  filledIn,
  IMAGE,
  type Node,
  objectsOf,
  type Process,
  podProcesses,
  read,
  roleOf,
  root,
} from './support/deployed.js';

const compose = composeOf('deploy/compose.yaml');
const composed: readonly [string, Node][] = Object.entries<Node>(compose.services).filter(([, { build }]) => build);
const objects = ['gateway', 'subgraphs'].flatMap((file) => objectsOf(`deploy/kubernetes/${file}.yaml`));
const deployments = objects.filter(({ kind }) => kind === 'Deployment');
const ofKind = (kind: string, name: string) => objects.find((one) => one.kind === kind && one.metadata.name === name);
const inCompose = composedProcesses(compose);
const inKubernetes = podProcesses(objects);

/** Seconds that a process may take to end after the signal. */
function secondsToEnd(processes: readonly Process[], name: string): number {
  const one = processes.find((candidate) => candidate.name === name) as Process;
  const { drainMs, requestDeadlineMs } = readConfiguration(roleOf(one), filledIn(one.env));
  return (drainMs + requestDeadlineMs) / 1000;
}

describe.each([
  ['compose', inCompose],
  ['Kubernetes', inKubernetes],
])('What %s would start', (_name, processes) => {
  test('is a gateway and the three subgraphs', () => {
    expect(processes.map(roleOf).sort()).toEqual(['gateway', ...SERVICES].sort());
  });

  test.each(processes.map((one) => [one.name, one] as const))('%s has settings that are accepted', (name, one) => {
    const settings = readConfiguration(roleOf(one), filledIn(one.env));
    expect(settings.production).toBe(true);
    expect([settings.cache === null, settings.subgraphTokens.length === 0]).toEqual([false, false]);
    expect(settings.metricsPort).toBe(9464);
    const off = SERVICES.filter((service) => settings.upstreams[service].mode === 'off');
    expect(off).toEqual(name === 'gateway' ? SERVICES : SERVICES.filter((service) => service !== name));
    for (const mount of one.mounts) expect(mount).toBe(IMAGE['CACHE_DIR']);
  });

  test('finds its subgraphs where they listen', () => {
    const gateway = processes.find(({ name }) => name === 'gateway');
    const { subgraphUrls } = readConfiguration('gateway', filledIn(gateway?.env ?? {}));
    for (const service of SERVICES) {
      const port = processes.find(({ name }) => name === service)?.env['PORT'];
      expect(subgraphUrls[service]).toBe(`http://${service}:${port}/graphql`);
    }
  });
});

describe('The files around them', () => {
  test('trust the balancer alone, not its network: from a trusted address, anybody may claim any other', () => {
    const trusted = [inCompose, inKubernetes].map((processes) =>
      readConfiguration('gateway', filledIn(processes.find(({ name }) => name === 'gateway')?.env ?? {})),
    );
    const [inNetwork, behindIngress] = trusted.map(({ trustedProxies }) => trustedProxies);
    expect(inNetwork).toEqual([compose.services.balancer.networks.default.ipv4_address]);
    expect(behindIngress?.filter((proxy) => proxy.includes('/'))).toEqual([]);
  });

  test('mount what is there, and give a process the time of its longest request to end', () => {
    const mounted = Object.values<Node>(compose.services).flatMap(({ volumes = [] }) => volumes as string[]);
    for (const [source = ''] of mounted.map((volume) => volume.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(join(root, 'deploy', source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const [name, { stop_grace_period: time }] of composed) {
      expect(Number.parseInt(time, 10)).toBeGreaterThan(secondsToEnd(inCompose, name));
    }
    for (const { metadata, spec } of deployments) {
      const { terminationGracePeriodSeconds: time } = spec.template.spec;
      expect(time).toBeGreaterThan(secondsToEnd(inKubernetes, metadata.name));
    }
  });

  test('let nobody into Redis without a password, which no file contains', () => {
    const PASSWORD = /^\$\{REDIS_PASSWORD:\?[^}]+\}$/;
    const { command, environment } = compose.services.redis;
    expect(command[command.indexOf('--requirepass') + 1]).toMatch(PASSWORD);
    expect(environment.REDISCLI_AUTH).toMatch(PASSWORD);
    for (const { env } of inCompose)
      expect(env['CACHE_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:6379$/);
    // The address has the password in it, so all of it is in the secret.
    for (const { env } of inKubernetes) expect(env['CACHE_URL']).toMatch(/^\$\{CACHE_URL:\?\}$/);
  });

  test('ask paths that are served, on ports that are open', () => {
    const served = read('gateway/endpoint/listener.ts') + read('gateway/endpoint/subgraph-host.ts');
    const balancer = read('deploy/haproxy.cfg');
    const { PORT } = inCompose.find(({ name }) => name === 'gateway')?.env ?? {};
    expect(balancer).toContain(`server-template gateway ${compose.services.gateway.deploy.replicas} gateway:${PORT}`);
    expect(/bind :(\d+)/.exec(balancer)?.[1]).toBe(compose.services.balancer.ports[0].split(':').at(-1));
    const paths = [/httpchk GET (\S+)/.exec(balancer)?.[1] ?? ''];
    for (const { spec } of deployments) {
      const [{ startupProbe, readinessProbe, livenessProbe, ports, env }] = spec.template.spec.containers;
      expect(ports[0].containerPort).toBe(Number(env.find(({ name }: Node) => name === 'PORT').value));
      expect([startupProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/readyz', '/readyz']);
      for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) paths.push(httpGet.path);
    }
    const seconds = [Number(/timeout check (\d+)s/.exec(balancer)?.[1])];
    const { startupProbe, readinessProbe } = ofKind('Deployment', 'gateway').spec.template.spec.containers[0];
    for (const { timeoutSeconds } of [startupProbe, readinessProbe]) seconds.push(timeoutSeconds);
    // A subgraph that hangs must not take the gateways out of service, even with the usual check timeout of a second.
    for (const one of [...seconds, 1]) expect(1000 * one).toBeGreaterThan(PROBE_MS);
    for (const path of paths) expect(served).toContain(`server.get('${path}'`);
  });

  test('let Prometheus read every process, and name only metrics that there are', async () => {
    const [job]: Node[] = parse(read('deploy/prometheus.yml')).scrape_configs;
    expect(job.dns_sd_configs[0]).toMatchObject({ port: 9464, type: 'A' });
    expect(job.dns_sd_configs[0].names.toSorted()).toEqual(inCompose.map(({ name }) => name).sort());
    const metrics = await new Metrics().text();
    const named = [...read('docs/scaling.md').matchAll(/`((?:passerelle|nodejs|process)_\w+)`/g)];
    expect(named.length).toBeGreaterThan(2);
    for (const [, name = ''] of named) expect(metrics).toContain(`# TYPE ${name.replace(/_(count|sum|bucket)$/, '')} `);
  });

  test('are scraped with the roles that the alerts ask for, under any shape', () => {
    const [apart]: Node[] = parse(read('deploy/prometheus.yml')).scrape_configs;
    expect(apart.relabel_configs).toContainEqual({ source_labels: ['__meta_dns_name'], target_label: 'role' });
    const [{ static_configs }]: Node[] = parse(read('deploy/replicas/prometheus.yml')).scrape_configs;
    const replicas = composedProcesses(composeOf('deploy/replicas/compose.yaml'));
    const targets = replicas.map(({ name, env }) => `${name}:${env['METRICS_PORT']}`);
    expect(static_configs).toEqual([{ targets, labels: { role: 'gateway' } }]);
  });

  test('bound every container: its log, its memory and what it may do', () => {
    for (const file of ['deploy/compose.yaml', 'deploy/replicas/compose.yaml']) {
      for (const [name, { logging, deploy, cap_drop, security_opt }] of Object.entries<Node>(
        composeOf(file).services,
      )) {
        expect([name, logging.options, deploy.resources.limits.memory, cap_drop, security_opt]).toEqual([
          name,
          { 'max-size': '50m', 'max-file': '5' },
          expect.stringMatching(/^\d+[GM]$/),
          ['ALL'],
          ['no-new-privileges:true'],
        ]);
      }
    }
  });

  test.each(['.gitignore', '.dockerignore'])('keep secrets out of what %s guards', (name) => {
    const ignored = new Set(
      read(name)
        .split('\n')
        .map((line) => line.replace(/^\*\*\/|\/$/g, '')),
    );
    for (const secret of ['.env', '.env.*', 'tls', '*.key', '*.pem', '*.crt']) expect(ignored).toContain(secret);
  });

  test('keep a majority of each part running, and scale what is there', () => {
    for (const { metadata, spec } of deployments) {
      const { name } = metadata;
      expect(ofKind('PodDisruptionBudget', name).spec.minAvailable).toBeLessThan(spec.replicas);
      const labels = spec.template.metadata.labels;
      expect([spec.selector.matchLabels, ofKind('PodDisruptionBudget', name).spec.selector.matchLabels]).toEqual([
        labels,
        labels,
      ]);
      expect(ofKind('Service', name).spec.selector).toEqual(labels);
    }
    const { spec } = ofKind('HorizontalPodAutoscaler', 'gateway');
    expect(spec.scaleTargetRef.name).toBe('gateway');
    expect(spec.minReplicas).toBe(ofKind('Deployment', 'gateway').spec.replicas);
  });
});
