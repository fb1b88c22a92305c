import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards that the alerts fire on a bad day and on no other: Prometheus' `promtool` runs them over time series. */

/** One alert on one day: series with a value every 15 s, and the labels of what fires at certain times. */
interface Day {
  /** Between two evaluations of the rules; a minute if omitted. */
  readonly interval?: string;
  readonly series: Readonly<Record<string, string>>;
  readonly fires: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
}

const UP = 'up{job="passerelle"';
const OTHERS = {
  [`${UP},role="waste-identity",instance="e"}`]: '1x90',
  [`${UP},role="volunteering",instance="f"}`]: '1x90',
};
const OPERATIONS = 'passerelle_operation_duration_seconds_count';
const SENT = 'passerelle_upstream_sent_calls_total{service="volunteering"';

const DAYS: Readonly<Record<string, Day>> = {
  'PasserelleDown, when containers stop and are found by no name any more': {
    series: {
      ...OTHERS,
      [`${UP},role="gateway",instance="a"}`]: '1x90',
      [`${UP},role="gateway",instance="b"}`]: '1x20 stale',
      [`${UP},role="work-study",instance="c"}`]: '1x20 stale',
    },
    fires: { '4m': [], '10m': [{ severity: 'page', role: 'work-study' }] },
  },
  'PasserelleDown, when a process is found and does not answer': {
    series: {
      ...OTHERS,
      [`${UP},role="gateway",instance="a"}`]: '1x20 0x60',
      [`${UP},role="work-study",instance="c"}`]: '1x90',
    },
    fires: { '10m': [{ severity: 'page', job: 'passerelle', role: 'gateway', instance: 'a' }] },
  },
  'PasserelleDown, not where replicas are all that runs': {
    series: { [`${UP},role="gateway",instance="a"}`]: '1x90', [`${UP},role="gateway",instance="b"}`]: '1x90' },
    fires: { '10m': [] },
  },
  'PasserelleReplicasMissing, when one of two replicas is gone': {
    series: {
      [`${UP},role="gateway",instance="a"}`]: '1x90',
      [`${UP},role="gateway",instance="b"}`]: '1x20 stale',
    },
    fires: { '4m': [], '12m': [{ severity: 'ticket' }] },
  },
  'PasserelleFailedOperations, beside a client whose operations are refused': {
    series: {
      [`${OPERATIONS}{outcome="ok"}`]: '0+9x90',
      [`${OPERATIONS}{outcome="failed"}`]: '0x20 0+1x70',
      [`${OPERATIONS}{outcome="refused"}`]: '0+1000x90',
    },
    fires: { '4m': [], '16m': [{ severity: 'page' }] },
  },
  'PasserelleLogDropsLines, when nobody reads the log of one process': {
    series: {
      'passerelle_log_lines_dropped_total{instance="a"}': '0x90',
      'passerelle_log_lines_dropped_total{instance="b"}': '0x20 0+5x70',
    },
    fires: { '4m': [], '10m': [{ severity: 'ticket', instance: 'b' }] },
  },
  'PasserelleSourceFails, while the cache answers most': {
    series: {
      [`${SENT},result="answered"}`]: '0+2x90',
      [`${SENT},result="failed"}`]: '0x20 0+1x70',
      'passerelle_upstream_calls_total{service="volunteering",outcome="HIT",error="none"}': '0+1000x90',
    },
    fires: { '4m': [], '16m': [{ severity: 'ticket', service: 'volunteering' }] },
  },
  'PasserelleSourceDown, once for all who see it': {
    series: {
      'passerelle_source_state{service="volunteering",state="UP",instance="a"}': '1x20 0x70',
      'passerelle_source_state{service="volunteering",state="DOWN",instance="a"}': '0x20 1x70',
      'passerelle_source_state{service="volunteering",state="DOWN",instance="b"}': '0x20 1x70',
      'passerelle_source_state{service="work-study",state="OFF",instance="a"}': '0x90',
    },
    fires: { '4m': [], '12m': [{ severity: 'page', service: 'volunteering', state: 'DOWN' }] },
  },
  'PasserelleQuotaNearlySpent, when every window is, and not when one was': {
    series: {
      'passerelle_quota_limit{service="volunteering",scope="all"}': '600x90',
      'passerelle_quota_remaining{service="volunteering",scope="all"}': Array(22).fill('600 300 40 10').join(' '),
      'passerelle_quota_limit{service="work-study",scope="GET /job/v1/export"}': '2x90',
      'passerelle_quota_remaining{service="work-study",scope="GET /job/v1/export"}': '2x30 0x4 2x50',
    },
    fires: { '8m': [], '14m': [{ severity: 'ticket', service: 'volunteering', scope: 'all' }] },
  },
  'PasserelleStoreAway, where Redis is shared': {
    series: { 'passerelle_store_reachable{instance="a"}': '1x20 0x70' },
    fires: { '4m': [], '8m': [{ severity: 'page', instance: 'a' }] },
  },
  'PasserelleKeyEnds, when one of two keys ends in 29 days, once for all processes': {
    series: {
      'passerelle_key_expiry_timestamp_seconds{service="work-study",instance="a"}': `${29 * 86_400}x90`,
      'passerelle_key_expiry_timestamp_seconds{service="work-study",instance="b"}': `${29 * 86_400}x90`,
      'passerelle_key_expiry_timestamp_seconds{service="volunteering",instance="a"}': `${31 * 86_400}x90`,
    },
    fires: { '4m': [], '16m': [{ severity: 'ticket', service: 'work-study' }] },
  },
  'PasserelleExportOld, when it is two days old, or never came': {
    interval: '10m',
    series: {
      'passerelle_export_timestamp_seconds{service="work-study",instance="never"}': '0x12000',
      'passerelle_export_timestamp_seconds{service="work-study",instance="new"}': '100000x12000',
    },
    fires: {
      '35h': [],
      '37h': [{ severity: 'ticket', service: 'work-study', instance: 'never' }],
    },
  },
};

const isThere = spawnSync('promtool', ['--version']).error === undefined;
if (!isThere)
  console.warn('promtool is not installed (`apt-get install prometheus`): what the alerts fire on was left out.');

/** The file of a day for `promtool`. */
function fileOf(title: string, { series, fires, interval = '1m' }: Day): string {
  const [alertname = ''] = title.split(',');
  const alerts = Object.entries(fires).map(([time, labels]) => ({
    ...{ eval_time: time, alertname },
    exp_alerts: labels.map((exp_labels) => ({ exp_labels })),
  }));
  const values = Object.entries(series).map(([name, each]) => ({ series: name, values: each }));
  const day = { interval: '15s', input_series: values, alert_rule_test: alerts };
  return JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: interval, tests: [day] });
}

// All in one run, which names the alert that it fails on.
test.skipIf(!isThere)('each alert fires on its day, and not before', () => {
  const folder = temporaryFolder();
  const rules = parse(readFileSync(new URL('../../deploy/alerts.yml', import.meta.url), 'utf8'));
  // Without annotations, whose texts would have to be repeated here.
  for (const rule of rules.groups[0].rules) delete rule.annotations;
  writeFileSync(join(folder, 'alerts.yml'), stringify(rules));
  const files = Object.entries(DAYS).map(([title, day]) => {
    const name = `${title}.json`;
    writeFileSync(join(folder, name), fileOf(title, day));
    return name;
  });
  const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
  expect(stdout.match(/SUCCESS/g)).toHaveLength(files.length);
});
