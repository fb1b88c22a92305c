import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import { Metrics } from '../../runtime/process/metrics.js';
import { anchorsOf } from '../house/support/anchors.js';
import { alertRules } from './support/rules.js';

/** Guards that the dashboard and the alert rules use existing metrics and labels, and that labels are bounded. */

const read = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const panels = (JSON.parse(read('grafana/passerelle.json')) as Dashboard).panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [`the panel "${title}"`, expr] as const),
);
const alerts = alertRules.map(({ alert, expr }) => [`the alert ${alert}`, expr] as const);

/** Functions, keywords and what Prometheus itself adds. */
const FUNCTIONS = 'sum rate histogram_quantile increase count max min topk absent time min_over_time max_over_time';
const WORDS = new Set(`${FUNCTIONS} by le or unless offset up job instance role m h s __rate_interval`.split(' '));

/** Every metric and label of a process, as scraped once each has been counted. */
async function scraped(): Promise<{ readonly names: ReadonlySet<string>; readonly labels: ReadonlySet<string> }> {
  const metrics = new Metrics();
  const call = { path: '/', method: 'GET', startMs: 0, ms: 1, bytes: 0, entities: 1, retries: 0, planNode: '' };
  metrics.upstreamCall({ ...call, service: 'work-study', status: 200, cache: 'MISS', sent: 1, queuedMs: 5 });
  metrics.drift('work-study', 'Commune.nom', 'form');
  metrics.request({ status: 200, ms: 1, operation: 'A', outcome: 'ok' });
  metrics.answered('whole response', '');
  metrics.safelist({ hash: 'a', mode: 'enforce', operations: 1 });
  metrics.safelisted('allowed');
  metrics.preflightRefused();
  metrics.watchCaches('gateway')('direct-responses', () => 1);
  metrics.watchStore(() => true);
  metrics.watchLog(() => 0);
  const quota = { scope: 'GET /job/v1/search', limit: 60, remaining: 6, resetSeconds: 9 };
  const figures = {
    ...NO_FIGURES,
    quotas: [quota],
    exportLoadedAt: '2026-01-01T02:00:00.000Z',
    keyEndsSeconds: 2_000_000_000,
  };
  metrics.watchSources(() => [{ name: 'work-study', state: 'UP', upstream: 'real', figures }]);
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return {
    names: new Set(lines.map((line) => line.split(/[{ ]/)[0] ?? '')),
    labels: new Set(lines.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label ?? ''))),
  };
}

test.each([...panels, ...alerts])('%s requests metrics and labels that there are', async (_name, expr) => {
  const { names, labels } = await scraped();
  const words = expr.replaceAll(/"[^"]*"/g, '').match(/[A-Za-z_]\w*/g) ?? [];
  expect(words.filter((word) => !WORDS.has(word) && !names.has(word) && !labels.has(word))).toEqual([]);
  expect(words.some((word) => names.has(word) || word === 'up')).toBe(true);
});

test('each alert says where its runbook is, and the page has a heading for each alert and no other', () => {
  const page = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8');
  const anchors = anchorsOf(page);
  for (const { alert, annotations } of alertRules) {
    const [file, anchor = ''] = annotations['runbook']?.split('#') ?? [];
    expect([file, anchor], alert).toEqual(['docs/operators.md', alert.toLowerCase()]);
    expect(anchors).toContain(anchor);
  }
  const headings = [...page.matchAll(/^#### (Passerelle\w+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(alertRules.map(({ alert }) => alert));
});

const firstEvents = alerts.filter(([, expr]) => /increase\(/.test(expr));

test.each(firstEvents)('%s is told of the first event, with which a series begins', async (_name, expr) => {
  const [, selector = '', name = '', range = ''] = /increase\((([a-z_]+)(?:\{[^}]*\})?)\[(\w+)\]\)/.exec(expr) ?? [];
  const beginsAtZero = new RegExp(`^${name}\\{.*\\} 0$`, 'm').test(await new Metrics().text());
  const findsTheNew = expr.includes(`or (${selector} unless ${selector} offset ${range})`);
  expect([beginsAtZero, findsTheNew]).toContain(true);
});
