import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

export default {
  schema: '../../schema/api.graphql',
  documents: '../shared/operations.graphql',
  generates: {
    'src/__generated__/': {
      preset: 'client',
      // The cache knows objects by `__typename`, so the listed operations have to select it.
      documentTransforms: [addTypenameSelectionDocumentTransform],
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        useTypeImports: true,
        // A field that is selected by a fragment has the fragment's type.
        inlineFragmentTypes: 'combine',
        // Every scalar of this graph is JSON text.
        defaultScalarType: 'string',
      },
    },
  },
};
