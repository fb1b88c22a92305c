/** A client application of the platform (waste-identity 5.6). */
export interface ClientApplication {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** Compared byte by byte with the `redirect_uri` of a request. */
  readonly redirectUris: readonly string[];
}

/** The application of Passerelle itself. Its credentials are valid only in the sandbox. */
export const wasteClient: ClientApplication = {
  id: 'cksandbox0000passerelle01',
  secret: 'sandboxWasteClientSecret0000000000000001',
  name: 'Passerelle (bac à sable)',
  redirectUris: ['http://127.0.0.1:4000/auth/waste/callback', 'http://localhost:4000/auth/waste/callback'],
};

/** The access token of the world's first user, to skip the flow: fixed, readable, and valid only in the sandbox. */
export const wasteToken = fixedToken(0);

/** The fixed access token of the user with this index in the world. */
export function fixedToken(index: number): string {
  return `sandboxWasteUser${index + 1}Token`.padEnd(40, '0');
}
