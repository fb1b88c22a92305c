import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { the } from '../../scenarios/samples.js';

/** An alert rule, as Prometheus reads it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
}

const file = new URL('../../../deploy/alerts.yml', import.meta.url);

/** The alerts of `deploy/alerts.yml`. */
export const alertRules: readonly AlertRule[] = (parse(readFileSync(file, 'utf8')) as Rules).groups.flatMap(
  ({ rules }) => rules,
);

/** The alert with this name; fails without one. */
export function alertNamed(name: string): AlertRule {
  return the(alertRules.find(({ alert }) => alert === name));
}
