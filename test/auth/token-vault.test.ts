import { describe, expect, it } from 'vitest';
import { createTokenVault } from '../../gateway/auth/sessions.js';
import { createRootKeys } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';

const TOKEN = 'token-that-nobody-may-read';
const OWNER = ['waste-identity', 'user-1'];

const keysOf = (...secrets: string[]) =>
  createRootKeys(secrets.map((secret) => new Secret(secret.repeat(32)))).derive('x');
const vault = createTokenVault(keysOf('n'));

describe('a token in the vault', () => {
  it('comes out as it went in, and cannot be read meanwhile', () => {
    const sealed = vault.seal(TOKEN, OWNER);
    expect(sealed).not.toContain(TOKEN);
    expect(Buffer.from(sealed.split('.')[1]!, 'base64url').toString('latin1')).not.toContain('token');
    expect(vault.open(sealed, OWNER)).toBe(TOKEN);
  });

  it('is sealed with another nonce each time', () => {
    expect(vault.seal(TOKEN, OWNER)).not.toBe(vault.seal(TOKEN, OWNER));
  });

  it('does not open for another user or another platform, nor when the words are cut elsewhere', () => {
    const sealed = vault.seal(TOKEN, OWNER);
    expect(vault.open(sealed, ['waste-identity', 'user-2'])).toBeNull();
    expect(vault.open(sealed, ['another', 'user-1'])).toBeNull();
    expect(vault.open(sealed, ['waste-identityuser-1'])).toBeNull();
  });

  it('does not open when a bit of it was changed, cut off, or moved under another key', () => {
    const sealed = vault.seal(TOKEN, OWNER);
    const [keyId, body = ''] = sealed.split('.');
    for (const index of [0, 12, 20, Buffer.from(body, 'base64url').length - 1]) {
      const bytes = Buffer.from(body, 'base64url');
      bytes[index]! ^= 1;
      expect(vault.open(`${keyId}.${bytes.toString('base64url')}`, OWNER)).toBeNull();
    }
    expect(vault.open(sealed.slice(0, -4), OWNER)).toBeNull();
    expect(vault.open('', OWNER)).toBeNull();
    expect(createTokenVault(keysOf('o')).open(sealed, OWNER)).toBeNull();
  });

  it('opens after a rotation with new,old, and no longer when the old secret is gone', () => {
    const sealed = createTokenVault(keysOf('o')).seal(TOKEN, OWNER);
    expect(createTokenVault(keysOf('n', 'o')).open(sealed, OWNER)).toBe(TOKEN);
    expect(vault.open(sealed, OWNER)).toBeNull();
    expect(vault.open(createTokenVault(keysOf('n', 'o')).seal(TOKEN, OWNER), OWNER)).toBe(TOKEN);
  });
});
