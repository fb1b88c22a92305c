import { describe, expect, it } from 'vitest';
import { misspeltNames } from '../../runtime/configuration/configuration-reader.js';

describe('misspeltNames', () => {
  it.each([
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['SESION_SECRET', 'SESSION_SECRET'],
    ['WORKSTUDY_URL', 'WORK_STUDY_URL'],
    ['WASTE_CLIENT_IDS', 'WASTE_CLIENT_ID'],
    ['MAX_CALL_PER_REQUEST', 'MAX_CALLS_PER_REQUEST'],
    ['CALLER_REQUEST_PER_MINUTE', 'CALLER_REQUESTS_PER_MINUTE'],
    ['SAFELIST_MOD', 'SAFELIST_MODE'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['METRIC_PORT', 'METRICS_PORT'],
    ['NODE_EN', 'NODE_ENV'],
  ])('takes %s for a misspelling of %s', (given, meant) => {
    expect(misspeltNames({ [given]: 'x' })).toEqual([
      `${given} is not a variable of Passerelle. Did you mean ${meant}?`,
    ]);
  });

  it('names none for another name of a family that is near to none', () => {
    expect(misspeltNames({ VOLUNTEERING_KEY: 'key' })).toEqual([
      'VOLUNTEERING_KEY is not a variable of Passerelle: see --help',
    ]);
  });

  it.each([
    ['WORK_STUDY_PORT', 'tcp://[fd00:10:96::a]:4001'],
    ['WORK_STUDY_SERVICE_HOST', 'fd00:10:96::a'],
    ['WORK_STUDY_SERVICE_PORT_HTTP', '4001'],
    ['WORK_STUDY_PORT_4001_SCTP', 'sctp://10.96.0.7:4001'],
    ['WORK_STUDY_PORT_4001_UDP_PROTO', 'udp'],
    ['WORK_STUDY_PORT_4001_TCP_PORT', '4001'],
    ['WORK_STUDY_PORT_4001_TCP_ADDR', '10.96.0.7'],
  ])('leaves alone %s of a service in Kubernetes, and names it with any other value', (name, value) => {
    expect(misspeltNames({ [name]: value })).toEqual([]);
    for (const other of ['', 'https://10.96.0.7:4001', `${value} `])
      expect(misspeltNames({ [name]: other })).toEqual([`${name} is not a variable of Passerelle: see --help`]);
  });

  it.each([
    [
      'shells and desktops',
      'HOME HOSTNAME HOSTTYPE LANG PATH PWD SHELL SHLVL TERM TMPDIR USER XDG_CACHE_HOME SESSION_MANAGER',
    ],
    [
      'systemd',
      'CACHE_DIRECTORY STATE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY INVOCATION_ID JOURNAL_STREAM LISTEN_FDS',
    ],
    [
      'node and its tools',
      'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION NO_COLOR FORCE_COLOR INIT_CWD CI DEBUG',
    ],
    [
      'containers',
      'REDIS_HOST REDIS_PORT REDIS_URL KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR POD_NAME NODE_NAME NODE_IP',
    ],
    [
      'other programs',
      'PORTS HOSTS CCACHE_DIR LOGLEVEL LOG_FORMAT MAX_MEMORY MAX_CONNECTIONS DATABASE_URL PUBLIC_KEY API_KEY HTTP_PROXY METRICS_PATH',
    ],
    [
      'OpenTelemetry',
      'OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_SAMPLER OTEL_LOG_LEVEL OTEL_SDK_DISABLED',
    ],
  ])('leaves alone what %s put into an environment', (_whose, names) => {
    expect(misspeltNames(Object.fromEntries(names.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });
});
