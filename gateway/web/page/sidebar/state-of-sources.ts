/** What `/readyz` tells. */
export interface Readiness {
  readonly sources: readonly {
    readonly name: string;
    readonly state: string;
    readonly upstream: string;
    readonly detail?: string;
  }[];
}

/** What `/auth/session` tells of the waste platform. */
export interface Session {
  readonly connected: boolean;
  readonly reconnect?: boolean;
  readonly user: { readonly name?: string; readonly email?: string } | null;
}

export async function readReadiness(): Promise<Readiness> {
  const response = await window.fetch('/readyz');
  return response.json();
}

/** Null where the gateway has no login. */
export async function readSession(): Promise<Session | null> {
  const response = await window.fetch('/auth/session');
  if (!response.ok) return null;
  const { waste }: { waste: Session } = await response.json();
  return waste;
}

/** Ends the session here; the header shows that it was this page that asked. */
export async function disconnect(): Promise<void> {
  await window.fetch('/auth/waste/logout', { method: 'POST', headers: { 'x-passerelle-csrf': '1' } });
}
