import { SERVICE_ENTRIES, SERVICES, type ServiceName, type ServiceVariable } from '../../kernel/services.js';
import { type Marks, withDerived } from './pages.js';

/** The files below deploy/ that name the services, with their derived sections as the entries of the services say. */
export function deployFiles(current: (name: string) => string): [name: string, text: string][] {
  const sections: readonly [name: string, indent: number, sections: Readonly<Record<string, string>>][] = [
    ['compose.yaml', 6, { addresses: lines(composeAddress), dependencies: lines(dependency) }],
    ['compose.yaml', 2, { subgraphs: SERVICES.map(composeService).join('\n\n'), caches: lines(cache) }],
    ['prometheus.yml', 6, { names: `      - names: [${['gateway', ...SERVICES].join(', ')}]` }],
    ['kubernetes/gateway.yaml', 12, { addresses: lines(kubernetesAddress) }],
    ['replicas/compose.yaml', 4, { variables: SERVICES.flatMap(composeVariables).join('\n').replace(/^ {2}/gm, '') }],
    ['replicas/kubernetes.yaml', 12, { variables: SERVICES.map(kubernetesVariables).join('').slice(1) }],
    ['kubernetes/subgraphs.yaml', 0, { subgraphs: SERVICES.map(kubernetesSubgraph).join('\n---\n') }],
  ];
  const files = new Map<string, string>();
  for (const [name, indent, derived] of sections) {
    const before = files.get(name) ?? current(name);
    const after = Object.entries(derived).reduce(
      (file, [mark, text]) => withDerived(file, mark, text, yaml(indent)),
      before,
    );
    files.set(name, after);
  }
  return [...files];
}

/** Comments of YAML on lines of their own. */
function yaml(indent: number): Marks {
  const before = ' '.repeat(indent);
  return { start: (name) => `\n${before}# derived: ${name}\n`, end: `\n${before}# end of derived` };
}

function lines(line: (name: ServiceName) => string): string {
  return SERVICES.map(line).join('\n');
}

/** Where a gateway beside them finds a subgraph: each has the name of its service. */
function address(name: ServiceName): string {
  return `http://${name}:${SERVICE_ENTRIES[name].port}/graphql`;
}

/** The variables that an operator has to set. */
function variablesOf(name: ServiceName): readonly ServiceVariable[] {
  const variables: Readonly<Record<string, ServiceVariable>> = SERVICE_ENTRIES[name].variables;
  return Object.values(variables).filter(({ byDefault }) => byDefault === undefined);
}

function composeAddress(name: ServiceName): string {
  return `      ${SERVICE_ENTRIES[name].addressVariable}: ${address(name)}`;
}

function dependency(name: ServiceName): string {
  return `      ${name}: { condition: service_healthy }`;
}

function cache(name: ServiceName): string {
  return `  ${name}-cache:`;
}

function composeService(name: ServiceName): string {
  const { port, deploy } = SERVICE_ENTRIES[name];
  return `  ${name}:
    <<: *product
    command: ["node", "dist/main.js", "subgraph", "${name}"]
    volumes: ["${name}-cache:/var/cache/passerelle"]
    deploy: { resources: { limits: { memory: ${deploy.memory} } } }
    environment:
      <<: *shared
      PORT: "${port}"
      NODE_OPTIONS: --max-old-space-size=${heapOf(deploy.memory)}
${composeVariables(name).join('\n')}`;
}

function composeVariables(name: ServiceName): string[] {
  return variablesOf(name).map((one) => `      ${one.name}: \${${one.name}:?${one.meaning}}`);
}

/** Mebibytes of heap in a container of this memory: the rest is for buffers and the program. */
function heapOf(memory: string): number {
  return (Number.parseInt(memory, 10) * (memory.endsWith('G') ? 1024 : 1) * 3) / 4;
}

function kubernetesAddress(name: ServiceName): string {
  return `            - { name: ${SERVICE_ENTRIES[name].addressVariable}, value: ${address(name)} }`;
}

function kubernetesSubgraph(name: ServiceName): string {
  const { port, deploy } = SERVICE_ENTRIES[name];
  const shared = ['CACHE_URL', 'SESSION_SECRET', 'SUBGRAPH_TOKEN'].map(secretEnv);
  const env = [kubernetesVariables(name), ...shared].join('');
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: { app: passerelle, part: ${name} }
spec:
  replicas: 2
  selector: { matchLabels: { app: passerelle, part: ${name} } }
  strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  template:
    metadata:
      labels: { app: passerelle, part: ${name} }
      annotations: { prometheus.io/scrape: "true", prometheus.io/port: "9464" }
    spec:
      enableServiceLinks: false
      terminationGracePeriodSeconds: 45
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: { app: passerelle, part: ${name} } }
      containers:
        - name: ${name}
          image: registry.example/passerelle:0.1.0
          args: ["node", "dist/main.js", "subgraph", "${name}"]
          ports:
            - { name: http, containerPort: ${port} }
            - { name: metrics, containerPort: 9464 }
          env:
            - { name: PORT, value: "${port}" }
            - { name: METRICS_HOST, value: 0.0.0.0 }
            - { name: METRICS_PORT, value: "9464" }
            - { name: NODE_OPTIONS, value: --max-old-space-size=${heapOf(deploy.memory)} }${env}
          startupProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 1, timeoutSeconds: 3, failureThreshold: 60 }
          readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 1 }
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 3 }
          securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
          resources: { requests: { cpu: 500m, memory: 512Mi }, limits: { memory: ${deploy.memory}i } }
          volumeMounts: [{ name: cache, mountPath: /var/cache/passerelle }]
      # Lives as long as the pod: a new pod reads cached responses from Redis, and downloads large files once.
      volumes: [{ name: cache, emptyDir: { sizeLimit: ${deploy.disk}i } }]
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec:
  selector: { app: passerelle, part: ${name} }
  ports: [{ name: http, port: ${port}, targetPort: http }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${name} }
spec:
  minAvailable: 1
  selector: { matchLabels: { app: passerelle, part: ${name} } }`;
}

function kubernetesVariables(name: ServiceName): string {
  const lines = variablesOf(name).map((one) =>
    one.example === undefined ? secretEnv(one.name) : `\n            - { name: ${one.name}, value: ${one.example} }`,
  );
  return lines.join('');
}

function secretEnv(name: string): string {
  return `\n            - { name: ${name}, valueFrom: { secretKeyRef: { name: passerelle, key: ${name} } } }`;
}
