import { readFileSync } from 'node:fs';
import { buildSchema, execute, type GraphQLError, parse, validate } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import { describeError, toFrenchMessage } from '../../analyst/page/request/french-errors.js';
import { language } from '../../analyst/page/state/language.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

/** The message in French, with all spaces alike. */
const inFrench = (message: string): string | null => toFrenchMessage(message)?.replaceAll('\u00a0', ' ') ?? null;

/** GraphQL's errors for a query. */
async function said(query: string, variableValues: Record<string, unknown>): Promise<readonly GraphQLError[]> {
  try {
    const document = parse(query);
    const found = validate(schema, document);
    if (found.length > 0) return found;
    return (await execute({ schema, document, variableValues })).errors ?? [];
  } catch (error) {
    return [error as GraphQLError];
  }
}

describe('GraphQL’s own messages are said in French', () => {
  afterEach(() => language.set('en'));

  test.each([
    [
      '{ missionz { totalCount } }',
      'Le type « Query » n’a pas de champ « missionz ». Vouliez-vous « mission » ou « missions » ?',
    ],
    [
      '{ missions(frist: 1) { totalCount } }',
      'Le champ « Query.missions » n’a pas de paramètre « frist ». Vouliez-vous',
    ],
    ['{ commune { nom } }', 'Le champ « commune » demande le paramètre « insee », de type « '],
    ['{ missions }', 'Du champ « missions », de type « '],
    ['{ missions { totalCount { a } } }', 'Le champ « totalCount » est une valeur, de type « Int'],
    ['query ($a: Int) { missions(first: $b) { totalCount } }', 'La variable « $b » n’est pas déclarée.'],
    ['query Q($a: Int) { missions { totalCount } }', 'La variable « $a » ne sert pas.'],
    ['query ($a: Nope) { missions(first: $a) { totalCount } }', 'Le type « Nope » n’existe pas.'],
    [
      'query ($a: String) { missions(first: $a) { totalCount } }',
      'La variable « $a », de type « String », se trouve où',
    ],
    ['query ($a: Int!) { missions(first: $a) { totalCount } }', 'Il manque la variable « $a », de type « Int! ».'],
    ['{ missions(first: "x") { totalCount } }', 'Un nombre entier est attendu, "x" trouvé.'],
    ['{ missions { ...f } }', 'Le fragment « f » n’existe pas.'],
    ['{ missions { totalCount } } fragment f on Query { missions { totalCount } }', 'Le fragment « f » ne sert pas.'],
    ['{ missions @nope { totalCount } }', 'La directive « @nope » n’existe pas.'],
    ['{ a: missions { totalCount } a: missions(first: 1) { totalCount } }', 'Les champs « a » se contredisent :'],
    ['{ missions { totalCount', 'Erreur de syntaxe : Name attendu, la fin du texte trouvé.'],
    ['{ missions(: 1) }', 'Erreur de syntaxe : Name attendu, ":" trouvé.'],
    ['hello', 'Erreur de syntaxe : Name "hello" inattendu.'],
    ['{ a } { b }', 'Une opération sans nom doit être la seule de la requête.'],
  ])('%s', async (query, french) => {
    const messages = (await said(query, {})).map(({ message }) => inFrench(message));
    expect(
      messages.some((message) => message?.startsWith(french)),
      `${messages}`,
    ).toBe(true);
    expect(messages).not.toContain(null);
  });

  test('of wrong variables too, with the value', async () => {
    const query = 'query ($a: Int!) { missions(first: $a) { totalCount } }';
    const [error] = await said(query, { a: 'x' });
    expect(inFrench(error?.message ?? '')).toBe(
      'La variable « $a » ne peut pas valoir "x". Un nombre entier est attendu, "x" trouvé.',
    );
  });

  test('and the gateway’s by what their codes mean, where there is no room for both', () => {
    const spent = { message: 'Spent.', extensions: { code: 'RATE_LIMITED' } };
    expect(describeError(spent)).toBe('Spent.');
    language.set('fr');
    expect(describeError(spent)).toBe('Le quota d’appels de cette période est épuisé.');
    expect(describeError({ message: 'Syntax Error: Unexpected "}".' })).toBe('Erreur de syntaxe\u00a0: "}" inattendu.');
    expect(describeError({ message: 'Odd.', extensions: { code: 'ODD' } })).toBe('Odd.');
  });

  test('and no others', () => {
    expect(toFrenchMessage('The call quota of this window is spent.')).toBeNull();
    expect(toFrenchMessage('Variable "$a" got invalid value "x"; Expected a SIRET.')).toBeNull();
  });
});
