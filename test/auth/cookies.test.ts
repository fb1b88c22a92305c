import { parseSetCookie } from 'cookie';
import { describe, expect, it } from 'vitest';
import { loginsCookie, loginsIn, sessionCookie, sessionIn } from '../../gateway/auth/cookies.js';

const ID = 'i'.repeat(43);
const idOf = (number: number) => String(number).padEnd(43, 'x');

describe('the cookies', () => {
  it('are bound to the host on https: __Host-, Secure, path /, no domain, out of reach of scripts', () => {
    const session = parseSetCookie(sessionCookie(ID, true));
    expect(session).toEqual({
      name: '__Host-passerelle',
      value: ID,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
    });
    const login = parseSetCookie(loginsCookie([ID], true));
    expect(login).toMatchObject({
      name: '__Host-passerelle-login',
      value: ID,
      path: '/',
      httpOnly: true,
      secure: true,
    });
    expect(login).toMatchObject({ sameSite: 'lax', maxAge: 600 });
    expect(login).not.toHaveProperty('domain');
  });

  it('have plain names on http, where a browser would drop the others', () => {
    expect(parseSetCookie(sessionCookie(ID, false))).toMatchObject({ name: 'passerelle' });
    expect(sessionCookie(ID, false)).not.toContain('Secure');
    expect(sessionIn({ cookie: `passerelle=${ID}` }, false)).toBe(ID);
    expect(sessionIn({ cookie: `__Host-passerelle=${ID}` }, false)).toBeNull();
  });

  it('are dropped with the attributes that they were set with', () => {
    const { value: _, ...rest } = parseSetCookie(sessionCookie(ID, true));
    expect(parseSetCookie(sessionCookie(null, true))).toEqual({ ...rest, value: '', maxAge: 0 });
  });

  it('are read only when they have the form of ours', () => {
    for (const value of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}%2e`, '../../etc']) {
      expect(sessionIn({ cookie: `passerelle=${value}` }, false)).toBeNull();
    }
    expect(sessionIn({}, false)).toBeNull();
    expect(loginsIn({ cookie: `passerelle-login=evil.${ID}..x` }, false)).toEqual([ID]);
  });

  it('hold the five newest logins of a browser, so that several tabs may log in', () => {
    let headers = {};
    for (let number = 0; number < 8; number += 1) {
      const { value } = parseSetCookie(loginsCookie([idOf(number), ...loginsIn(headers, false)], false));
      headers = { cookie: `passerelle-login=${value}` };
    }
    expect(loginsIn(headers, false)).toEqual([7, 6, 5, 4, 3].map(idOf));
    expect(parseSetCookie(loginsCookie([], false))).toMatchObject({ value: '', maxAge: 0 });
  });
});
