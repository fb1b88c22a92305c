import { describe, expect, it } from 'vitest';
import { checkEmail, checkPhone, checkUri } from '../../../subgraphs/work-study/publishing/bodies.js';

const refused = expect.objectContaining({
  code: 'BAD_USER_INPUT',
  message: expect.stringMatching(/^input\.x is not /),
});

describe('checks of how to reach somebody', () => {
  it.each(['mail@example.fr', 'prenom.nom+tag@mairie.example.co'])('take the e-mail address %s', (email) => {
    expect(() => checkEmail('input.x', email)).not.toThrow();
  });

  it.each(['', 'jean', 'jean@mairie', 'a b@c.fr', 'Jean <a@b.fr>', 'a@b.fr\n', 'é@mairie.fr', 'a@b..fr', 'a@-b.fr'])(
    'refuse the e-mail address %j',
    (email) => {
      expect(() => checkEmail('input.x', email)).toThrow(refused);
    },
  );

  it.each(['https://example.fr/poste?x=1', 'HTTP://EXAMPLE.FR'])('take the web address %s', (uri) => {
    expect(() => checkUri('input.x', uri)).not.toThrow();
  });

  it.each(['example.fr', 'ftp://example.fr', 'javascript:alert(1)', 'https://', 'https://a b'])(
    'refuse the web address %j',
    (uri) => {
      expect(() => checkUri('input.x', uri)).toThrow(refused);
    },
  );

  it.each([
    '0612345678',
    '01 99 00 00 00',
    '06.12.34.56.78',
    '+33 6 12 34 56 78',
    '0033612345678',
    '+590 690 00 00 00',
  ])('take the telephone number %s', (phone) => {
    expect(() => checkPhone('input.x', phone)).not.toThrow();
  });

  it.each(['12', '0012', '061234567', '06123456789', '+0612345678', '+33 six', '+1234567890123456', '06123A5678'])(
    'refuse the telephone number %j',
    (phone) => {
      expect(() => checkPhone('input.x', phone)).toThrow(refused);
    },
  );

  it('refuse a long number that is none as fast as a short one', () => {
    const hostile = `+1${'1'.repeat(100_000)}x`;
    expect(() => checkPhone('input.x', hostile)).toThrow(refused);
    expect(() => checkPhone('input.x', `+33${'1'.repeat(12)}x`)).toThrow(refused);
  });
});
