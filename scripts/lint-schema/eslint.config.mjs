import graphql from '@graphql-eslint/eslint-plugin';

/*
 * `npm run lint:schema`: the set that @graphql-eslint recommends for schemas, with its naming, and a description for
 * everything. What departs from it is here, each with its reason, and nowhere else.
 */
const { rules } = graphql.configs['flat/schema-recommended'];
const [severity, naming] = rules['@graphql-eslint/naming-convention'];

const DEPARTURES = {
  // Values, such as an address or a page, have no id: they belong to the object that contains them.
  '@graphql-eslint/strict-id-in-types': 'off',
  // `CertificationType` is what work-study calls the nature of a certification, `type`.
  '@graphql-eslint/naming-convention': [severity, exceptFor('CertificationType')],
  // `Company.companyTypes` has the name that the waste platform gave it.
  '@graphql-eslint/no-typename-prefix': 'off',
};

/** The recommended naming, but for one name. */
function exceptFor(name) {
  return Object.fromEntries(
    Object.entries(naming).map(([nodes, style]) => [
      nodes,
      style.forbiddenSuffixes ? { ...style, ignorePattern: `^${name}$` } : style,
    ]),
  );
}

const everything = { types: true, FieldDefinition: true, InputValueDefinition: true, EnumValueDefinition: true };

export default [
  {
    files: ['schema/api.graphql'],
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: 'schema/api.graphql' } } },
    plugins: { '@graphql-eslint': graphql },
    rules: { ...rules, '@graphql-eslint/require-description': ['error', everything], ...DEPARTURES },
  },
];
