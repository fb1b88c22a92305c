import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import type { Role } from '../../../runtime/configuration/role.js';

/** What the files below deploy/ would start, read as compose and Kubernetes read them. */

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: these files have the shapes of compose and Kubernetes, which the assertions name.
export type Node = any;

/** One of our processes: how a deployment file starts it. */
export interface Process {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly string[];
}

export const composeOf = (file: string): Node => parse(read(file), { merge: true });

export function objectsOf(file: string): readonly Node[] {
  return parseAllDocuments(read(file)).map((document) => document.toJS());
}

/** Our own processes among the services of a compose file. */
export function composedProcesses({ services }: Node): readonly Process[] {
  const own = Object.entries<Node>(services).filter(([, { build }]) => build);
  return own.map(([name, { command = ['node', 'dist/main.js'], environment, volumes = [] }]) => ({
    name,
    command,
    env: environment,
    mounts: volumes.map((volume: string) => volume.split(':')[1]),
  }));
}

export function podProcesses(objects: readonly Node[]): readonly Process[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => {
      const { args, env, volumeMounts = [] } = spec.template.spec.containers[0];
      return {
        name: metadata.name,
        command: args,
        env: Object.fromEntries(
          env.map((one: Node) => [one.name, one.value ?? `\${${one.valueFrom.secretKeyRef.key}:?}`]),
        ),
        mounts: volumeMounts.map(({ mountPath }: Node) => mountPath),
      };
    });
}

/** Variables that the image sets. */
export const IMAGE = Object.fromEntries(
  [...read('Dockerfile').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);

const ADDRESSES = [
  ['CACHE_URL', 'redis://:filled-in-by-the-operator@redis:6379'],
  ['PUBLIC_URL', 'https://passerelle.example'],
  ['_URL', 'https://service.example/api'],
] as const;

/** The environment, with plausible values for what an operator fills in. */
export function filledIn(env: Process['env']): Record<string, string> {
  const fill = (_: string, name: string, sign: string, rest: string) =>
    sign === ':-' ? rest : (ADDRESSES.find(([end]) => name.endsWith(end))?.[1] ?? `filled-in-by-the-operator-${name}`);
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    String(value).replace(/\$\{(\w+)(:-|:\?)([^}]*)\}/g, fill),
  ]);
  return { NODE_ENV: 'production', HOST: IMAGE['HOST'] ?? '', ...Object.fromEntries(filled) };
}

export function roleOf({ command }: Process): Role {
  const words = command.slice(command.indexOf('dist/main.js') + 1);
  return (words[0] === 'subgraph' ? words[1] : (words[0] ?? 'all')) as Role;
}
