import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse, SHAPES } from './support/house.js';

describe.each(SHAPES)('a login, %s', (shape) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse({ shape });
  });
  afterAll(() => house.close());

  it('goes over the pages of the platform and ends where it was asked to, connected', async () => {
    const { browser, user } = house.person();
    const login = await browser.visit(`${house.url}/auth/waste/login?returnTo=/readyz`);
    expect(login.text).toContain('Mot de passe');
    const consent = await browser.submit(login, { email: user.email, password: user.password });
    expect(consent.text).toContain('Autoriser');
    const end = await browser.submit(consent);
    expect(new URL(end.url).href).toBe(`${house.url}/readyz`);
    expect(await house.session(browser)).toEqual({
      waste: { connected: true, reconnect: false, user: { name: user.name, email: user.email } },
    });
    const { data, errors } = await house.ask(browser, '{ viewer { id email companies { siret } } }');
    expect(errors).toBeUndefined();
    expect(data.viewer).toMatchObject({ id: user.id, email: user.email });
  });
});
