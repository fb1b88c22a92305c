/** Settings for every file: formatting, Biome's recommended rules, and the sizes of functions and files. */
export const BASE = {
  $schema: './node_modules/@biomejs/biome/configuration_schema.json',
  vcs: {
    enabled: true,
    clientKind: 'git',
    useIgnoreFile: true,
  },
  files: {
    includes: [
      '**',
      '!**/__generated__',
      '!schema/supergraph.graphql',
      '!schema/api.graphql',
      '!schema/released',
      '!package-lock.json',
      '!test/**/*.json',
    ],
  },
  formatter: {
    indentStyle: 'space',
    indentWidth: 2,
    lineWidth: 120,
  },
  javascript: {
    formatter: {
      quoteStyle: 'single',
    },
  },
  linter: {
    enabled: true,
    rules: {
      preset: 'recommended',
      complexity: {
        useLiteralKeys: 'off',
        noForEach: 'off',
        noExcessiveLinesPerFunction: {
          level: 'error',
          options: {
            maxLines: 60,
          },
        },
        useMaxParams: {
          level: 'error',
          options: {
            max: 4,
          },
        },
      },
      suspicious: {
        noImportCycles: 'error',
        noConsole: {
          level: 'error',
          options: {
            allow: [],
          },
        },
      },
      correctness: {
        noUnusedImports: 'error',
        noUnusedVariables: 'error',
      },
      style: {
        noProcessEnv: 'error',
        noDefaultExport: 'error',
        useImportType: 'error',
        noNonNullAssertion: 'error',
        noRestrictedGlobals: {
          level: 'error',
          options: {
            deniedGlobals: {
              fetch: 'HTTP goes through subgraphs/rest.',
              globalThis: 'Name what you need.',
              process:
                'Only runtime/configuration/configuration.ts reads the environment; main.ts and runtime/ know the process.',
            },
          },
        },
        noExcessiveLinesPerFile: {
          level: 'error',
          options: {
            maxLines: 600,
          },
        },
      },
      nursery: {
        noFloatingPromises: 'error',
      },
    },
  },
};

const ENVIRONMENT =
  'Only runtime/configuration/configuration.ts reads the environment; main.ts and runtime/ know the process.';

/** Rules that apply only here, or everywhere but here, with reasons. If two match a file, the later one wins. */
export const EXCEPTIONS = [
  {
    // They know the process: its user, its signals, its streams and its exit code.
    includes: ['main.ts', 'runtime/**', 'database/own-file.ts', 'schema/compose.ts'],
    rules: {
      style: denyGlobals({ fetch: 'HTTP goes through subgraphs/rest.', globalThis: 'Name what you need.' }),
    },
  },
  {
    // Programs of their own: none of their code runs in the product.
    includes: ['sandbox/**', 'test/**', 'scripts/**', 'examples/**'],
    rules: { style: { noRestrictedGlobals: 'off' } },
  },
  {
    includes: ['test/**'],
    rules: {
      complexity: {
        // A `describe` contains its whole suite; the callback of `test.each` has a parameter for each column.
        noExcessiveLinesPerFunction: 'off',
        useMaxParams: 'off',
      },
      style: {
        noNonNullAssertion: 'off',
        noRestrictedImports: 'off',
        noProcessEnv: 'off',
        noExcessiveLinesPerFile: { level: 'error', options: { maxLines: 400 } },
      },
      suspicious: { noConsole: 'off' },
    },
  },
  {
    // One file of SDL per domain: most of its lines are descriptions for clients.
    includes: ['**/*.graphql'],
    rules: { style: { noExcessiveLinesPerFile: 'off' } },
  },
  {
    // Command lines, which read the environment and print; and configuration files, which have default exports.
    includes: [
      ...[
        'scripts/**',
        'schema/compose.ts',
        'runtime/configuration/configuration.ts',
        'vitest.config.ts',
        'vitest.quick.config.ts',
      ],
      ...['frontend', 'apollo', 'urql'].map((name) => `examples/${name}/vite.config.ts`),
      ...['apollo', 'urql'].map((name) => `examples/${name}/codegen.ts`),
      'examples/hive-gateway/gateway.config.ts',
    ],
    rules: { style: { noDefaultExport: 'off', noProcessEnv: 'off' }, suspicious: { noConsole: 'off' } },
  },
  {
    // Time and network are ports there, so that the simulation can run it.
    includes: ['subgraphs/rest/**'],
    rules: {
      style: denyGlobals({
        fetch: 'Use the transport port.',
        globalThis: 'Name what you need.',
        setTimeout: 'Use the clock port.',
        setInterval: 'Use the clock port.',
        performance: 'Use the clock port.',
        Date: 'Use the clock port.',
        process: ENVIRONMENT,
      }),
    },
  },
  {
    // The ports themselves.
    includes: ['subgraphs/rest/ports/**'],
    rules: { style: { noRestrictedGlobals: 'off' } },
  },
];

function denyGlobals(deniedGlobals) {
  return { noRestrictedGlobals: { level: 'error', options: { deniedGlobals } } };
}
