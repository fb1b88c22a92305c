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
