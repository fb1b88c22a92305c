import type { ServiceEntry } from '../../kernel/services.js';

/** What `kernel/services.ts` would say of a service with toys. */
export const toy = {
  label: 'Jouets',
  has: { en: 'toys and where they are', fr: 'des jouets et où ils sont' },
  colour: '#444444',
  source: { type: 'ToySource', description: 'The toy service.' },
  port: 4004,
  addressVariable: 'SUBGRAPH_TOY_URL',
  credential: { header: 'x-toy-key', kind: 'key' },
  prefix: 'TOY_',
  baseUrl: 'url',
  variables: {
    url: { name: 'TOY_URL', kind: 'address', meaning: 'base address of toys' },
    apiKey: { name: 'TOY_API_KEY', kind: 'key', meaning: "the operator's key for toys" },
  },
} as const satisfies ServiceEntry;
