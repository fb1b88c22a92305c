import { describe, expect, it } from 'vitest';
import { examineConfiguration } from '../../runtime/configuration/configuration.js';
import type { Environment } from '../../runtime/configuration/configuration-variables.js';
import type { Role } from '../../runtime/configuration/role.js';

/** Guards what is wrong with a configuration beyond the form of a value, and what will be refused one day. */

const SECRET = 'a-root-secret-of-32-characters-ok';
const WORK_STUDY = { WORK_STUDY_URL: 'https://work.example/api', WORK_STUDY_API_KEY: 'key-1' };
const production = { NODE_ENV: 'production', SESSION_SECRET: SECRET, ...WORK_STUDY };

const examine = (env: Environment, role: Role = 'all') => {
  const { configuration, mistakes } = examineConfiguration(role, env);
  return { mistakes, warnings: configuration.warnings };
};

describe('production', () => {
  it('warns of a real service by http, and of secrets that are short, both for one release', () => {
    const { mistakes, warnings } = examine({
      ...production,
      WORK_STUDY_URL: 'http://work.example/api',
      SUBGRAPH_TOKEN: `${SECRET},a-short-one`,
      TRACE: 'a-secret-of-some-length',
    });
    expect(mistakes).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^WORK_STUDY_URL .*https.*next release/),
      expect.stringMatching(/^SUBGRAPH_TOKEN .*32 characters.*next release/),
      expect.stringMatching(/^TRACE .*32 characters.*next release/),
    ]);
    expect(warnings.join('\n')).not.toMatch(/work\.example|a-short|some-length/);
  });

  it.each<[string, Environment]>([
    ['by https', {}],
    ['by http on loopback', { WORK_STUDY_URL: 'http://127.0.0.1:8080/api' }],
    ['with long secrets', { SUBGRAPH_TOKEN: SECRET, TRACE: SECRET }],
    ['with a word for the trace', { TRACE: 'on' }],
  ])('is not warned of a service %s', (_what, env) => {
    expect(examine({ ...production, ...env })).toEqual({ mistakes: [], warnings: [] });
  });

  it('alone is strict: development is not', () => {
    const env = { ...WORK_STUDY, WORK_STUDY_URL: 'http://work.example/api', SUBGRAPH_TOKEN: 'short' };
    expect(examine(env)).toEqual({ mistakes: [], warnings: [] });
  });
});

describe('the key of a service', () => {
  const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
  const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const key = (claims: object) => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmVk`;
  const examineKey = (WORK_STUDY_API_KEY: string) => {
    const { configuration, mistakes } = examineConfiguration('all', { ...WORK_STUDY, WORK_STUDY_API_KEY });
    expect(mistakes).toEqual([]);
    return [configuration.warnings, configuration.expired];
  };

  it('is warned of from thirty days before its end, and expired after it', () => {
    expect(examineKey(key({ exp: inDays(31) }))).toEqual([[], []]);
    const soon = expect.stringMatching(/^WORK_STUDY_API_KEY ends on \d{4}-\d\d-\d\d, in 29 days: ask /);
    expect(examineKey(key({ exp: inDays(29) }))).toEqual([[soon], []]);
    expect(examineKey(key({ exp: inDays(-1) }))).toEqual([[], [expect.stringMatching(/KEY expired on \d{4}/)]]);
  });

  it('of a test environment is told, if it says so', () => {
    const said = expect.stringContaining('test environment (recette)');
    expect(examineKey(key({ exp: inDays(90), iss: 'api-recette' }))).toEqual([[said], []]);
  });

  it.each([
    ['of another form', 'c0ffee00-1111-4222-8333-444455556666'],
    ['whose end is a text', key({ exp: 'tomorrow' })],
    ['whose end is beyond time', key({ exp: 1e300 })],
    ['whose payload is no JSON', 'eyJhbGciOiJIUzI1NiJ9.bm8gSlNPTg.c2ln'],
    ['whose payload is a list', `${part({})}.${part([])}.c2ln`],
    ['that is longer than a header', key({ exp: 1, more: 'x'.repeat(8_192) })],
  ])('%s says nothing', (_what, opaque) => {
    expect(examineKey(opaque)).toEqual([[], []]);
  });
});

describe('origins', () => {
  it.each([
    ['another origin', { CORS_ORIGINS: 'https://site.example,http://site.example' }],
    ['the gateway itself', { CORS_ORIGINS: 'http://site.example', PUBLIC_URL: 'https://graph.example' }],
  ])('by http are warned of beside https of %s', (_what, env) => {
    expect(examine(env)).toEqual({ mistakes: [], warnings: [expect.stringContaining('CORS_ORIGINS')] });
  });

  it.each(['http://site.example', 'https://site.example', ''])('of one kind are not: %j', (CORS_ORIGINS) => {
    expect(examine({ CORS_ORIGINS })).toEqual({ mistakes: [], warnings: [] });
  });
});

describe('a value in quotes', () => {
  it.each<[string, Environment]>([
    ['PORT', { PORT: '"4000"' }],
    ['NODE_ENV', { NODE_ENV: "'development'" }],
    ['WORK_STUDY_URL', { ...WORK_STUDY, WORK_STUDY_URL: '"https://work.example/api"' }],
    ['WORK_STUDY_API_KEY', { ...WORK_STUDY, WORK_STUDY_API_KEY: "'key-1'" }],
    ['CACHE_URL', { CACHE_URL: '"redis://127.0.0.1"', SESSION_SECRET: SECRET }],
    ['SAFELIST', { SAFELIST: '"list.json"' }],
    ['SESSION_SECRET', { SESSION_SECRET: `"${SECRET}"` }],
    ['SUBGRAPH_TOKEN', { SUBGRAPH_TOKEN: `'${SECRET}'` }],
    ['TRACE', { TRACE: `"${SECRET}"` }],
  ])('is a mistake that is said in one line, as of %s', (name, env) => {
    expect(examine(env)).toEqual({
      mistakes: [`${name} is in quotes, which are part of the value here: leave them out`],
      warnings: [],
    });
  });
});

describe('CACHE_URL', () => {
  it.each(['#', '/', '?', 'a#b/c?d'])('whose password has a reserved character is told so: %j', (character) => {
    const { mistakes } = examine({ CACHE_URL: `redis://:hidden${character}word@redis:6379`, SESSION_SECRET: SECRET });
    expect(mistakes).toEqual([expect.stringMatching(/^CACHE_URL must have user and password percent-encoded/)]);
  });

  it.each(['redis://user#word@redis', 'redis://user/word@redis', 'redis://user?word@redis'])(
    'is no address of another host: %s',
    (CACHE_URL) => {
      const { mistakes } = examine({ CACHE_URL, SESSION_SECRET: SECRET });
      expect(mistakes).toEqual([expect.stringMatching(/^CACHE_URL must have user and password percent-encoded/)]);
    },
  );

  it.each(['redis://:a%23b%2Fc%3Fd@redis:6379/3', 'rediss://user:word@redis', 'redis://redis?family=6'])(
    'is taken as it should be: %s',
    (CACHE_URL) => {
      expect(examine({ CACHE_URL, SESSION_SECRET: SECRET })).toEqual({ mistakes: [], warnings: [] });
    },
  );
});

describe('SUBGRAPH_VOLUNTEERING_URL', () => {
  const warningsAt = (address: string) =>
    examine({ SUBGRAPH_VOLUNTEERING_URL: address, SUBGRAPH_TOKEN: SECRET }, 'gateway').warnings;

  it.each(['https://127.0.0.1:8443/graphql', 'https://volunteering.internal:4003/graphql'])(
    'is told to be https where a subgraph itself listens: %s',
    (address) => {
      expect(warningsAt(address)).toEqual([expect.stringMatching(/^SUBGRAPH_VOLUNTEERING_URL is https/)]);
    },
  );

  it.each(['https://volunteering.internal/graphql', 'http://127.0.0.1:4003/graphql'])('may be %s', (address) => {
    expect(warningsAt(address)).toEqual([]);
  });
});

describe('a subgraph', () => {
  const others = { ...WORK_STUDY, SESSION_SECRET: SECRET };

  it.each<[string, Environment]>([
    ['in production', { ...others, NODE_ENV: 'production' }],
    ['in development, beside those of others', others],
  ])('does not start without its own variables %s', (_where, env) => {
    expect(examine(env, 'volunteering').mistakes).toEqual([
      'VOLUNTEERING_URL and VOLUNTEERING_API_KEY must be set: this process is the subgraph of volunteering',
    ]);
  });

  it('has the sandbox in development, where nothing is set', () => {
    const { configuration, mistakes } = examineConfiguration('volunteering', {});
    expect(mistakes).toEqual([]);
    expect(configuration.upstreams.volunteering.mode).toBe('sandbox');
  });

  it('says what is missing once where a part is set', () => {
    const { mistakes } = examine({ VOLUNTEERING_URL: 'https://volunteering.example' }, 'volunteering');
    expect(mistakes).toEqual([expect.stringMatching(/^VOLUNTEERING_API_KEY must be set/)]);
  });
});

it('Beyond loopback, secrets that can be guessed are mistakes: a short token, a secret of one letter', () => {
  const weak = { SESSION_SECRET: 'a'.repeat(40), SUBGRAPH_TOKEN: 'short' };
  expect(examine(weak).mistakes).toEqual([]);
  expect(examine({ ...weak, HOST: '0.0.0.0' }).mistakes).toEqual([
    expect.stringMatching(/^SESSION_SECRET must have 8 different characters/),
    expect.stringMatching(/^SUBGRAPH_TOKEN must be 32 characters or more/),
  ]);
});

it('Trust in every proxy there is is warned of, and in production beyond loopback the absence of any', () => {
  const open = { ...production, HOST: '0.0.0.0', PUBLIC_URL: 'https://passerelle.example' };
  expect(examine(open).warnings).toEqual([expect.stringMatching(/^TRUSTED_PROXIES names no proxy/)]);
  expect(examine({ ...open, TRUSTED_PROXIES: '10.0.0.1' }).warnings).toEqual([]);
  expect(examine({ TRUSTED_PROXIES: '10.0.0.0/8' }).warnings).toEqual([]);
  for (const all of ['0.0.0.0/0', '::/0'])
    expect(examine({ TRUSTED_PROXIES: `127.0.0.1,${all}` }).warnings).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES trusts every address/),
    ]);
});
