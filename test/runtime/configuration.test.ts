import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  isLoopback,
  printedConfiguration,
  readConfiguration,
} from '../../runtime/configuration/configuration.js';
import type { Environment } from '../../runtime/configuration/configuration-variables.js';
import { VARIABLES, variablesText } from '../../runtime/configuration/configuration-variables.js';
import type { Role } from '../../runtime/configuration/role.js';

const SECRET = 'a-root-secret-of-32-characters-ok';
const WORK_STUDY = { WORK_STUDY_URL: 'https://work.example/api/', WORK_STUDY_API_KEY: 'key-1' };

function mistakesOf(env: Environment, role: Role = 'all'): readonly string[] {
  try {
    readConfiguration(role, env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('needs nothing: it is then the sandbox on loopback', () => {
    const configuration = readConfiguration('all', {});
    expect(configuration).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      publicUrl: null,
      upstreams: {
        'work-study': { mode: 'sandbox' },
        volunteering: { mode: 'sandbox' },
        'waste-identity': { mode: 'sandbox' },
      },
      sessionSecrets: [],
      cache: null,
      requestDeadlineMs: 25_000,
      maxCallsPerRequest: 500,
      maxResponseBytes: 10_485_760,
      subgraphUrls: {},
      corsOrigins: [],
      graphiql: true,
      introspection: true,
      trace: 'on',
      safelist: null,
      logLevel: 'info',
      metricsHost: '127.0.0.1',
      metricsPort: null,
    });
    expect(configuration.cacheDir).toMatch(/\/\.cache$/);
    expect(Object.isFrozen(configuration)).toBe(true);
  });

  it('takes an empty value for none', () => {
    expect(readConfiguration('all', { WORK_STUDY_URL: ' ', PORT: '' })).toMatchObject({ port: 4000 });
  });

  it('reads every variable', () => {
    const configuration = readConfiguration('all', {
      ...WORK_STUDY,
      PORT: '8080',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://graph.example/',
      VOLUNTEERING_URL: 'https://vol.example',
      VOLUNTEERING_API_KEY: 'key-2',
      WASTE_AUTH_URL: 'https://waste.example',
      WASTE_API_URL: 'https://api.waste.example',
      WASTE_CLIENT_ID: 'client',
      WASTE_CLIENT_SECRET: 'client-secret',
      SESSION_SECRET: `${SECRET}, old-${SECRET}`,
      CACHE_URL: 'redis://:password@127.0.0.1:6379',
      CACHE_DIR: 'off',
      REQUEST_DEADLINE_MS: '5000',
      SUBGRAPH_VOLUNTEERING_URL: 'http://127.0.0.1:4003/graphql',
      SUBGRAPH_TOKEN: SECRET,
      CORS_ORIGINS: 'https://a.example, http://localhost:3000, https://*.preview.a.example:8443, capacitor://localhost',
      GRAPHIQL: 'off',
      INTROSPECTION: 'on',
      TRACE: 'a-trace-secret-16',
      SAFELIST: '/etc/operations.json',
      SAFELIST_MODE: 'log',
      LOG_LEVEL: 'warn',
      METRICS_PORT: '9464',
      METRICS_HOST: '10.0.0.7',
    });
    expect(configuration).toMatchObject({
      port: 8080,
      host: '0.0.0.0',
      publicUrl: 'https://graph.example',
      cacheDir: null,
      requestDeadlineMs: 5000,
      subgraphUrls: { volunteering: 'http://127.0.0.1:4003/graphql' },
      corsOrigins: [
        'https://a.example',
        'http://localhost:3000',
        'https://*.preview.a.example:8443',
        'capacitor://localhost',
      ],
      graphiql: false,
      introspection: true,
      safelist: { paths: ['/etc/operations.json'], mode: 'log' },
      logLevel: 'warn',
      metricsHost: '10.0.0.7',
      metricsPort: 9464,
    });
    expect(configuration.upstreams).toMatchObject({
      'work-study': { mode: 'real', settings: { url: 'https://work.example/api' } },
      volunteering: { mode: 'real', settings: { url: 'https://vol.example' } },
      'waste-identity': { mode: 'real', settings: { authUrl: 'https://waste.example', clientId: 'client' } },
    });
    expect(configuration.sessionSecrets.map((secret) => secret.reveal())).toEqual([SECRET, `old-${SECRET}`]);
  });

  it.each(['off', 'OFF', 'Off'])('the configuration takes %j for off, whatever else may stand there', (off) => {
    const env = { CACHE_DIR: off, METRICS_PORT: off, SAFELIST: off, TRACE: off };
    const settings = { cacheDir: null, metricsPort: null, safelist: null, trace: 'off' };
    expect(readConfiguration('all', env)).toMatchObject(settings);
  });

  it('takes the brackets of an IPv6 address off', () => {
    const env = { HOST: '[::1]', METRICS_HOST: '[2001:db8::1]' };
    expect(readConfiguration('all', env)).toMatchObject({ host: '::1', metricsHost: '2001:db8::1' });
    expect(mistakesOf({ HOST: '[::]' }, 'volunteering')).toEqual([expect.stringContaining('SUBGRAPH_TOKEN')]);
  });

  it('switches off what is not configured beside what is, and never replaces it by the sandbox', () => {
    expect(readConfiguration('all', WORK_STUDY).upstreams).toMatchObject({
      'work-study': { mode: 'real' },
      volunteering: { mode: 'off' },
      'waste-identity': { mode: 'off' },
    });
  });

  it.each<[string, Role, Environment, string]>([
    ['where nothing is set', 'all', {}, 'sandbox'],
    ['in production', 'all', { NODE_ENV: 'production' }, 'off'],
    ['beside another service', 'all', { WORK_STUDY_EXPORT_HOSTS: 'files.example' }, 'off'],
    ['of a gateway whose subgraphs run elsewhere', 'gateway', {}, 'off'],
  ])('prints what a service is that is not configured, %s', (_where, role, env, expected) => {
    expect(printedConfiguration(role, env)).toContain(`VOLUNTEERING_URL  (default: ${expected})`);
  });

  it('reports all mistakes at once, by name', () => {
    const mistakes = mistakesOf({
      PORT: 'http',
      WORK_STUDY_URL: 'work.example',
      WASTE_CLIENT_ID: 'client',
      VOLUNTEERING_KEY: 'key',
      CORS_ORIGINS: '*',
      GRAPHIQL: 'maybe',
      SESSION_SECRET: 'short',
    });
    for (const name of [
      'PORT',
      'WORK_STUDY_URL',
      'WORK_STUDY_API_KEY',
      'WASTE_AUTH_URL',
      'WASTE_API_URL',
      'WASTE_CLIENT_SECRET',
      'VOLUNTEERING_KEY',
      'CORS_ORIGINS',
      'GRAPHIQL',
      'SESSION_SECRET',
    ]) {
      expect(mistakes.join('\n')).toContain(name);
    }
    expect(mistakes).toHaveLength(10);
  });

  it.each<[string, Environment]>([
    ['PORT', { PORT: '65536' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://graph.example/path' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'ftp://graph.example' }],
    ['WORK_STUDY_API_KEY', { ...WORK_STUDY, WORK_STUDY_API_KEY: 'two words' }],
    ['WORK_STUDY_URL', { ...WORK_STUDY, WORK_STUDY_URL: 'https://user:pass@work.example' }],
    ['WORK_STUDY_URL', { WORK_STUDY_EXPORT_HOSTS: 'files.example', WORK_STUDY_API_KEY: 'key-1' }],
    [
      'VOLUNTEERING_URL must not end with /v0',
      { VOLUNTEERING_URL: 'https://a.example/v0/', VOLUNTEERING_API_KEY: 'k' },
    ],
    ['WORK_STUDY_URL must end with /api', { ...WORK_STUDY, WORK_STUDY_URL: 'https://api.apprentissage.beta.gouv.fr' }],
    ['WORK_STUDY_APPLY_PATH is not a variable', { ...WORK_STUDY, WORK_STUDY_APPLY_PATH: '/job/v1/apply' }],
    ['SESSION_SECRET', { CACHE_URL: 'redis://127.0.0.1' }],
    ['CACHE_URL', { CACHE_URL: 'http://127.0.0.1', SESSION_SECRET: SECRET }],
    ['CACHE_URL must have', { CACHE_URL: 'redis://:100%@127.0.0.1', SESSION_SECRET: SECRET }],
    ['CACHE_URL must end', { CACHE_URL: 'redis://127.0.0.1/cache', SESSION_SECRET: SECRET }],
    ['SESSION_SECRET', { SESSION_SECRET: `${SECRET},short` }],
    ['REQUEST_DEADLINE_MS', { REQUEST_DEADLINE_MS: '0' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example/' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'null' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*.fr' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*.10.0.0.1' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.*.example.fr' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*-a.example.fr' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*.Example.fr' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*.example.fr/' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://*.example.fr:443' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'capacitor://*.example.fr' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'capacitor://' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'capacitor://localhost/' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'file:///a' }],
    ['TRACE', { TRACE: 'short' }],
    ['TRACE', { TRACE: 'clé-de-seize-caractères' }],
    ['TRACE', { TRACE: 'sixteen\ncharacters' }],
    ['METRICS_PORT', { METRICS_PORT: '4000' }],
    ['METRICS_PORT', { PORT: '9464', HOST: '0.0.0.0', METRICS_PORT: '9464' }],
    ['METRICS_PORT', { PORT: '9464', HOST: 'localhost', METRICS_PORT: '9464' }],
    ['METRICS_PORT', { PORT: '9464', HOST: '[::1]', METRICS_HOST: 'localhost', METRICS_PORT: '9464' }],
    ['METRICS_PORT', { PORT: '9464', HOST: '[::1]', METRICS_HOST: '::1', METRICS_PORT: '9464' }],
    ['HOST must be', { HOST: 'two words' }],
    ['METRICS_HOST must be', { METRICS_HOST: '??', METRICS_PORT: '9464' }],
    ['OTEL_EXPORTER_OTLP_HEADERS must be', { OTEL_EXPORTER_OTLP_HEADERS: 'a-token' }],
    ['OTEL_EXPORTER_OTLP_HEADERS must be', { OTEL_EXPORTER_OTLP_HEADERS: 'a=b,authorization=' }],
    ['OTEL_EXPORTER_OTLP_HEADERS must be', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic 100%' }],
    ['SAFELIST_MODE', { SAFELIST_MODE: 'perhaps' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['METRICS_PORT', { METRICS_PORT: 'on' }],
    ['PASSERELLE_PORT', { PASSERELLE_PORT: '1' }],
    ['SUBGRAPH_URL', { SUBGRAPH_URL: 'http://127.0.0.1' }],
    ['WASTE_CLIENT', { WASTE_CLIENT: 'x' }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: 'two\nlines' }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: 'clé' }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: 'new, clé' }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: ', ,' }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: 'x'.repeat(8_001) }],
  ])('finds a mistake in %s', (name, env) => {
    const mistakes = mistakesOf(env);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(name);
  });

  it('takes an address of work-study without /api elsewhere: a proxy may add it', () => {
    expect(mistakesOf({ ...WORK_STUDY, WORK_STUDY_URL: 'https://proxy.example' })).toEqual([]);
    expect(mistakesOf({ ...WORK_STUDY, WORK_STUDY_URL: 'https://api.apprentissage.beta.gouv.fr/api/' })).toEqual([]);
  });

  it('lets listeners have one port on two hosts, or free ones', () => {
    expect(mistakesOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
    expect(mistakesOf({ PORT: '9464', HOST: '10.0.0.7', METRICS_PORT: '9464' })).toEqual([]);
    expect(mistakesOf({ PORT: '9464', HOST: '127.0.0.2', METRICS_PORT: '9464' })).toEqual([]);
  });

  it('takes the numbers that its messages name as the least and the most', () => {
    const [least, most] = ['65536', '268435456'].map((bytes) => readConfiguration('all', { MAX_ANSWER_BYTES: bytes }));
    expect([least?.maxResponseBytes, most?.maxResponseBytes]).toEqual([65_536, 268_435_456]);
    const message = 'MAX_ANSWER_BYTES must be a whole number from 65536 to 268435456';
    const others = ['65535', '268435457', '9'.repeat(400), '1e9', '-65536', '65536.0'];
    for (const bytes of others) expect(mistakesOf({ MAX_ANSWER_BYTES: bytes })).toEqual([message]);
  });

  it('leaves names alone that are not of its families', () => {
    expect(mistakesOf({ PORTAL: 'x', HOSTNAME: 'y', npm_config_port: '1' })).toEqual([]);
  });

  it('never prints a value', () => {
    const secrets = ['hidden-1', 'hidden-2', 'hidden-3-hidden-3', 'hidden-4', 'hidden-5'];
    const [key, clientSecret, trace, token, password] = secrets as [string, string, string, string, string];
    const configuration = readConfiguration('all', {
      ...WORK_STUDY,
      WORK_STUDY_API_KEY: key,
      WASTE_AUTH_URL: 'https://waste.example',
      WASTE_API_URL: 'https://api.waste.example',
      WASTE_CLIENT_ID: 'client',
      WASTE_CLIENT_SECRET: clientSecret,
      TRACE: trace,
      SUBGRAPH_TOKEN: token,
      SESSION_SECRET: SECRET,
      CACHE_URL: `redis://:${password}@127.0.0.1`,
    });
    const printed = inspect(configuration, { depth: 9, showHidden: true }) + JSON.stringify(configuration);
    for (const secret of [...secrets, SECRET]) expect(printed).not.toContain(secret);
    const mistakes = mistakesOf({
      SESSION_SECRET: 'hidden-1',
      TRACE: 'hidden-2',
      CACHE_URL: 'hidden-4',
      WORK_STUDY_URL: 'hidden-5',
    });
    expect(mistakes.join('\n')).not.toContain('hidden');
  });
});

describe('production', () => {
  const production = { NODE_ENV: 'production', SESSION_SECRET: SECRET };

  it('closes what is open in development', () => {
    expect(readConfiguration('all', { ...production, ...WORK_STUDY })).toMatchObject({
      graphiql: false,
      introspection: false,
      trace: 'off',
    });
  });

  it.each(['production ', ' Production\n', 'PRODUCTION'])('production is told by its word, as %j too', (word) => {
    const settings = readConfiguration('all', { ...production, ...WORK_STUDY, NODE_ENV: word });
    expect(settings).toMatchObject({ production: true, graphiql: false, trace: 'off' });
  });

  it.each(['', ' ', 'development', 'Development ', 'test'])('production is not %j', (word) => {
    expect(readConfiguration('all', { NODE_ENV: word }).production).toBe(false);
  });

  it.each(['prod', 'staging', 'production;'])('production takes no other word, such as %j', (word) => {
    const mistakes = ['NODE_ENV must be one of production, development, test'];
    expect(mistakesOf({ ...WORK_STUDY, SESSION_SECRET: SECRET, NODE_ENV: word })).toEqual(mistakes);
  });

  it('never starts the sandbox', () => {
    expect(mistakesOf(production)).toEqual([expect.stringContaining('No upstream is configured')]);
  });

  it('needs a session secret, and https beyond loopback', () => {
    const mistakes = mistakesOf({ NODE_ENV: 'production', ...WORK_STUDY, PUBLIC_URL: 'http://graph.example' });
    expect(mistakes).toEqual([expect.stringContaining('PUBLIC_URL'), expect.stringContaining('SESSION_SECRET')]);
    expect(mistakesOf({ ...production, ...WORK_STUDY, PUBLIC_URL: 'http://127.0.0.1:4000' })).toEqual([]);
  });

  describe('beyond loopback', () => {
    const waste = {
      WASTE_AUTH_URL: 'https://waste.example',
      WASTE_API_URL: 'https://api.waste.example',
      WASTE_CLIENT_ID: 'client',
      WASTE_CLIENT_SECRET: 'client-secret',
    };
    const open = { ...production, ...WORK_STUDY, ...waste, HOST: '0.0.0.0' };
    const needed = [expect.stringContaining('PUBLIC_URL')];

    it('a start beyond loopback needs the origin that browsers see where users log in', () => {
      expect(mistakesOf(open)).toEqual(needed);
      expect(mistakesOf({ ...open, HOST: 'graph.internal' })).toEqual(needed);
      expect(mistakesOf({ ...production, HOST: '::' }, 'gateway')).toEqual(needed);
      const elsewhere = { SUBGRAPH_WASTE_IDENTITY_URL: 'http://waste-identity:4002/graphql' };
      expect(mistakesOf({ ...production, ...WORK_STUDY, ...elsewhere, HOST: '0.0.0.0' })).toEqual(needed);
    });

    it.each<[string, Environment, Role]>([
      ['loopback', { HOST: '127.0.0.1' }, 'all'],
      ['an origin', { PUBLIC_URL: 'https://graph.example' }, 'gateway'],
      ['a named origin on loopback', { PUBLIC_URL: 'http://127.0.0.1:8080' }, 'all'],
      ['no login', Object.fromEntries(Object.keys(waste).map((name) => [name, ''])), 'all'],
      ['a subgraph', { SUBGRAPH_TOKEN: SECRET }, 'waste-identity'],
      ['development', { NODE_ENV: '' }, 'all'],
    ])('a start beyond loopback needs none for %s', (_what, env, role) => {
      expect(mistakesOf({ ...open, ...env }, role)).toEqual([]);
    });
  });

  it('lets introspection follow the analyst page', () => {
    expect(readConfiguration('all', { ...production, ...WORK_STUDY, GRAPHIQL: 'on' }).introspection).toBe(true);
  });
});

describe('the apart shape', () => {
  it('has a gateway that needs no upstream and finds the subgraphs at their usual ports', () => {
    const { port, subgraphUrls, upstreams } = readConfiguration('gateway', {});
    expect(port).toBe(4000);
    expect(subgraphUrls).toMatchObject({
      'work-study': 'http://127.0.0.1:4001/graphql',
      'waste-identity': 'http://127.0.0.1:4002/graphql',
      volunteering: 'http://127.0.0.1:4003/graphql',
    });
    expect(upstreams.volunteering.mode).toBe('off');
    expect(mistakesOf({ NODE_ENV: 'production', SESSION_SECRET: SECRET }, 'gateway')).toEqual([]);
  });

  it('has subgraphs at those ports, which need a token beyond loopback', () => {
    expect(readConfiguration('volunteering', {}).port).toBe(4003);
    expect(mistakesOf({ HOST: '0.0.0.0' }, 'volunteering')).toEqual([expect.stringContaining('SUBGRAPH_TOKEN')]);
    expect(mistakesOf({ HOST: '0.0.0.0', SUBGRAPH_TOKEN: SECRET }, 'volunteering')).toEqual([]);
    expect(['127.0.0.1', '127.1.2.3', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.example'].some(isLoopback)).toBe(false);
  });
});

describe('--help', () => {
  it('names every variable once, with its meaning and default', () => {
    const help = variablesText();
    for (const { name, meaning, byDefault } of VARIABLES) {
      expect(help.split(new RegExp(`^ {2}${name} `, 'm'))).toHaveLength(2);
      expect(help).toContain(meaning);
      expect(help).toContain(`(default: ${byDefault})`);
    }
  });
});
