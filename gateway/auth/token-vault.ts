import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 6;

/** Encrypts what must not be readable in the store (waste-identity 10.6). */
export interface TokenVault {
  /** Encrypts with the newest key. `boundTo` is authenticated: the text opens only with the same values. */
  seal(text: string, boundTo: readonly string[]): string;
  /** Decrypts; null if the text is damaged, was bound to other values, or its key is gone. */
  open(sealed: string, boundTo: readonly string[]): string | null;
}

/** Creates a vault with keys of 32 bytes: it encrypts with the first and decrypts with any. */
export function createTokenVault(keys: readonly [Buffer, ...Buffer[]]): TokenVault {
  const [newest] = keys;
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  return {
    seal(text, boundTo) {
      const keyId = idOf(newest);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newest, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associatedData(keyId, boundTo));
      const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${keyId}.${body.toString('base64url')}`;
    },
    open(sealed, boundTo) {
      const [keyId = '', body = ''] = sealed.split('.');
      const key = byId.get(keyId);
      const bytes = Buffer.from(body, 'base64url');
      if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(keyId, boundTo));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** Identifies a key in stored data without revealing it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES).toString('base64url');
}

/** As JSON, so that no two lists have the same encoding. */
function associatedData(keyId: string, boundTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...boundTo]));
}
