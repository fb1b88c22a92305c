/** What the tests use of oidc-provider, which comes without types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Context {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    query: Readonly<Record<string, unknown>>;
    body: unknown;
    readonly response: { get(name: string): string };
    get(name: string): string;
    set(name: string, value: string): void;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: { find(token: string): Promise<{ readonly accountId: string } | undefined> };
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): RequestListener;
  }
}
