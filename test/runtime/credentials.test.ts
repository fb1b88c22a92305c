import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createCredentialMinter, createRootKeys, operatorAccountOf } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';

const NEW = new Secret('the-new-root-secret-of-32-letters');
const OLD = new Secret('the-old-root-secret-of-32-letters');

describe('root keys', () => {
  it('are another one for each use, and the same in each process that shares the secret', () => {
    const [cookies] = createRootKeys([NEW]).derive('cookies');
    expect(cookies).toHaveLength(32);
    expect(createRootKeys([NEW]).derive('cookies')[0]).toEqual(cookies);
    expect(createRootKeys([NEW]).derive('tokens')[0]).not.toEqual(cookies);
    expect(createRootKeys([OLD]).derive('cookies')[0]).not.toEqual(cookies);
  });

  it('rotate: the new secret writes, the old one is still read', () => {
    const [newest, ...older] = createRootKeys([NEW, OLD]).derive('cookies');
    expect(newest).toEqual(createRootKeys([NEW]).derive('cookies')[0]);
    expect(older).toEqual(createRootKeys([OLD]).derive('cookies'));
  });

  it('are new at every start without a secret', () => {
    expect(createRootKeys([]).derive('cookies')).not.toEqual(createRootKeys([]).derive('cookies'));
  });
});

describe('a credential', () => {
  const mint = createCredentialMinter(createRootKeys([NEW]));

  it('has one fingerprint for one secret, which says nothing without the root secret', () => {
    expect(mint('key-1').fingerprint).toBe(mint('key-1').fingerprint);
    expect(mint('key-1').fingerprint).not.toBe(mint('key-2').fingerprint);
    expect(createCredentialMinter(createRootKeys([OLD]))('key-1').fingerprint).not.toBe(mint('key-1').fingerprint);
    expect(mint('key-1').fingerprint).toMatch(/^[\w-]{22}$/);
  });

  it('gives its secret to nobody but who requests it', () => {
    const credential = mint('key-1');
    expect(credential.reveal()).toBe('key-1');
    const printed = [
      inspect(credential, { showHidden: true }),
      JSON.stringify(credential),
      String(credential),
      ...Object.values(credential),
    ];
    expect(printed.join()).not.toContain('key-1');
    expect(JSON.stringify({ ...credential })).not.toContain('key-1');
  });
});

describe('the account of an operator’s key', () => {
  it('needs no root secret, differs for different keys, and is no plain hash that a list of guesses leads back from', () => {
    expect(operatorAccountOf('key-1')).toBe(operatorAccountOf('key-1'));
    expect(operatorAccountOf('key-1')).not.toBe(operatorAccountOf('key-2'));
    const guessed = createHash('sha256').update('key-1').digest().subarray(0, 16).toString('base64url');
    expect(operatorAccountOf('key-1')).not.toBe(guessed);
    expect(operatorAccountOf('key-1')).toMatch(/^[\w-]{22}$/);
  });
});

describe('a secret', () => {
  it('prints as nothing', () => {
    const secret = new Secret('hidden');
    expect(`${secret} ${inspect({ secret }, { showHidden: true })} ${JSON.stringify({ secret })}`).not.toContain(
      'hidden',
    );
    expect(secret.reveal()).toBe('hidden');
  });
});
