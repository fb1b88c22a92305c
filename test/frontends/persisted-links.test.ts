import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { type DocumentNode, parse } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { parseSafelist, type SafelistMode } from '../../gateway/limits/safelist.js';
import { type OpenedGateway, openGateway, post } from '../gateway/support/open-gateway.js';

/**
 * Guards that the persisted links of both libraries work against any gateway. They send the manifest's hash, and, where
 * the gateway does not know it, their own print of the document beside that hash.
 */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** As a manifest has it: in another layout than a library prints it. */
const LISTED = 'query Said($text: String!) { echo(text: $text) }';
const DOCUMENT: DocumentNode = parse(LISTED);
const VARIABLES = { text: 'a' };

/** Both spellings of its hash: code generators put the algorithm in front. */
const HASHES = [sha256(LISTED), `sha256:${sha256(LISTED)}`];

let gateway: OpenedGateway;
let asked = 0;
afterEach(() => gateway.close());

async function open(mode: SafelistMode | null): Promise<string> {
  asked = 0;
  const operations = parseSafelist(JSON.stringify({ [`sha256:${sha256(LISTED)}`]: LISTED }));
  const echo = (_: unknown, { text }: { text: string }) => {
    asked += 1;
    return text;
  };
  gateway = await openGateway({
    resolvers: { volunteering: { Query: { echo } } },
    gateway: { safelist: mode && { operations, hash: '', mode } },
  });
  return `${gateway.url}/graphql`;
}

async function byApollo(uri: string, hash: string): Promise<unknown> {
  const persisted = new PersistedQueryLink({ generateHash: () => hash });
  const link = ApolloLink.from([persisted, new HttpLink({ uri })]);
  const client = new ApolloClient({ link, cache: new InMemoryCache({ addTypename: false } as object) });
  return (await client.query({ query: DOCUMENT, variables: VARIABLES })).data;
}

async function byUrql(url: string, hash: string): Promise<unknown> {
  const persisted = persistedExchange({ generateHash: async () => hash, preferGetForPersistedQueries: false });
  const client = new Client({ url, preferGetMethod: false, exchanges: [persisted, fetchExchange] });
  const { data, error } = await client.query(DOCUMENT, VARIABLES).toPromise();
  if (error) throw error;
  return data;
}

describe.each([
  ['Apollo Client', byApollo],
  ['urql', byUrql],
])('The persisted link of %s', (_library, send) => {
  describe.each([null, 'log', 'enforce'] as const)('before a gateway with a safelist: %s', (mode) => {
    it.each(HASHES)('is answered, whether it puts the algorithm before the hash or not: %s', async (hash) => {
      const url = await open(mode);
      for (const _time of [1, 2]) expect(await send(url, hash)).toMatchObject({ echo: 'a' });
      expect(asked).toBeGreaterThan(0);
    });
  });
});

describe('A hash beside a text that is not its own', () => {
  const beside = (query: string, hash = sha256(LISTED)) => ({
    query,
    variables: VARIABLES,
    extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
  });
  const alone = { variables: VARIABLES, extensions: beside('').extensions };
  const FOREIGN = 'query Said($text: String!) { other: echo(text: $text) }';

  it('runs the text without a safelist, and nothing is stored under the hash', async () => {
    const url = await open(null);
    for (const _time of [1, 2]) expect((await post(url, beside(FOREIGN))).data).toEqual({ other: 'a' });
    const unknown = await post(url, alone);
    expect(unknown.errors?.[0]?.extensions['code']).toBe('PERSISTED_QUERY_NOT_FOUND');
    // Its own text is stored.
    expect((await post(url, beside(LISTED))).data).toEqual({ echo: 'a' });
    expect((await post(url, alone)).data).toEqual({ echo: 'a' });
    expect((await post(url, beside(FOREIGN))).data).toEqual({ other: 'a' });
    expect((await post(url, alone)).data).toEqual({ echo: 'a' });
  });

  it('runs what a safelist has under the hash, whatever the text', async () => {
    const url = await open('enforce');
    for (const _time of [1, 2]) expect((await post(url, beside(FOREIGN))).data).toEqual({ echo: 'a' });
    const { status, errors } = await post(url, beside(FOREIGN, sha256(FOREIGN)));
    expect([status, errors?.[0]?.extensions]).toMatchObject([403, { operationHash: sha256(FOREIGN) }]);
  });

  it('is logged where a safelist only logs, and not stored', async () => {
    const url = await open('log');
    const foreign = sha256('another');
    expect((await post(url, beside(FOREIGN, foreign))).data).toEqual({ other: 'a' });
    expect(gateway.log.filter(({ message }) => message.includes('safelist'))).toHaveLength(1);
    const unknown = await post(url, { ...alone, extensions: beside('', foreign).extensions });
    expect(unknown.errors?.[0]?.extensions['code']).toBe('PERSISTED_QUERY_NOT_FOUND');
  });
});
