import { parseSetCookie } from 'cookie';
import { describe, expect, it } from 'vitest';
import { createCookies } from '../../gateway/auth/cookies.js';

const ID = 'i'.repeat(43);
const LOGIN_MS = 600_000;
const idOf = (number: number) => String(number).padEnd(43, 'x');

describe('the cookies', () => {
  it('are bound to the host on https: __Host-, Secure, path /, no domain, out of reach of scripts', () => {
    const cookies = createCookies(true, LOGIN_MS);
    const session = parseSetCookie(cookies.setSession(ID));
    expect(session).toEqual({
      name: '__Host-passerelle',
      value: ID,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
    });
    const login = parseSetCookie(cookies.addLogin(ID, {}));
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
    const cookies = createCookies(false, LOGIN_MS);
    expect(parseSetCookie(cookies.setSession(ID))).toMatchObject({ name: 'passerelle' });
    expect(cookies.setSession(ID)).not.toContain('Secure');
    expect(cookies.session({ cookie: `passerelle=${ID}` })).toBe(ID);
    expect(cookies.session({ cookie: `__Host-passerelle=${ID}` })).toBeNull();
  });

  it('are dropped with the attributes that they were set with', () => {
    const cookies = createCookies(true, LOGIN_MS);
    const { value: _, ...rest } = parseSetCookie(cookies.setSession(ID));
    expect(parseSetCookie(cookies.clearSession())).toEqual({ ...rest, value: '', maxAge: 0 });
  });

  it('are read only when they have the form of ours', () => {
    const cookies = createCookies(false, LOGIN_MS);
    for (const value of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}%2e`, '../../etc']) {
      expect(cookies.session({ cookie: `passerelle=${value}` })).toBeNull();
    }
    expect(cookies.session({})).toBeNull();
    expect(cookies.logins({ cookie: `passerelle-login=evil.${ID}..x` })).toEqual([ID]);
  });

  it('hold the five newest logins of a browser, so that several tabs may log in', () => {
    const cookies = createCookies(false, LOGIN_MS);
    let headers = {};
    for (let number = 0; number < 8; number += 1) {
      const { value } = parseSetCookie(cookies.addLogin(idOf(number), headers));
      headers = { cookie: `passerelle-login=${value}` };
    }
    expect(cookies.logins(headers)).toEqual([7, 6, 5, 4, 3].map(idOf));
    expect(parseSetCookie(cookies.removeLogin(idOf(5), headers)).value).toBe([7, 6, 4, 3].map(idOf).join('.'));
    const last = { cookie: `passerelle-login=${idOf(1)}` };
    expect(parseSetCookie(cookies.removeLogin(idOf(1), last))).toMatchObject({ value: '', maxAge: 0 });
  });
});
