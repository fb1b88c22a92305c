import { describe, expect, it } from 'vitest';
import { seal, unseal } from '../../gateway/auth/sessions.js';
import { createRootKeys } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';

const TOKEN = 'token-that-nobody-may-read';
const OWNER = ['waste-identity', 'user-1'];

const keysOf = (...secrets: string[]) =>
  createRootKeys(secrets.map((secret) => new Secret(secret.repeat(32)))).derive('x');
const KEYS = keysOf('n');

describe('a sealed token', () => {
  it('comes out as it went in, and cannot be read meanwhile', () => {
    const sealed = seal(KEYS, TOKEN, OWNER);
    expect(sealed).not.toContain(TOKEN);
    expect(Buffer.from(sealed.split('.')[1]!, 'base64url').toString('latin1')).not.toContain('token');
    expect(unseal(KEYS, sealed, OWNER)).toBe(TOKEN);
  });

  it('is sealed with another nonce each time', () => {
    expect(seal(KEYS, TOKEN, OWNER)).not.toBe(seal(KEYS, TOKEN, OWNER));
  });

  it('does not open for another user or another platform, nor when the words are cut elsewhere', () => {
    const sealed = seal(KEYS, TOKEN, OWNER);
    expect(unseal(KEYS, sealed, ['waste-identity', 'user-2'])).toBeNull();
    expect(unseal(KEYS, sealed, ['another', 'user-1'])).toBeNull();
    expect(unseal(KEYS, sealed, ['waste-identityuser-1'])).toBeNull();
  });

  it('does not open when a bit of it was changed, cut off, or moved under another key', () => {
    const sealed = seal(KEYS, TOKEN, OWNER);
    const [keyId, body = ''] = sealed.split('.');
    for (const index of [0, 12, 20, Buffer.from(body, 'base64url').length - 1]) {
      const bytes = Buffer.from(body, 'base64url');
      bytes[index]! ^= 1;
      expect(unseal(KEYS, `${keyId}.${bytes.toString('base64url')}`, OWNER)).toBeNull();
    }
    expect(unseal(KEYS, sealed.slice(0, -4), OWNER)).toBeNull();
    expect(unseal(KEYS, '', OWNER)).toBeNull();
    expect(unseal(keysOf('o'), sealed, OWNER)).toBeNull();
  });

  it('opens after a rotation with new,old, and no longer when the old secret is gone', () => {
    const sealed = seal(keysOf('o'), TOKEN, OWNER);
    expect(unseal(keysOf('n', 'o'), sealed, OWNER)).toBe(TOKEN);
    expect(unseal(KEYS, sealed, OWNER)).toBeNull();
    expect(unseal(KEYS, seal(keysOf('n', 'o'), TOKEN, OWNER), OWNER)).toBe(TOKEN);
  });
});
