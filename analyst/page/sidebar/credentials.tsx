import { useState } from 'react';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { Button } from '../elements/controls.js';
import { editors } from '../state/code.js';
import { defineTexts, textsNow, useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { changePage, usePage } from '../state/page-state.js';
import { shareFragment } from '../state/sharing.js';

/** Shows who is connected to the waste platform, with links to connect and disconnect. */
export function WasteLogin({ state, onChange }: { state: LoginState; onChange(): void }) {
  const [failed, setFailed] = useState(false);
  const texts = useTexts(SIDEBAR_TEXTS);
  if (state.kind === 'none') return <p>{texts.loginOff}</p>;
  if (state.kind === 'unknown') return <p role="alert">{texts.loginUnknown(state.why)}</p>;
  if (!state.session.connected) return <Connect session={state.session} />;
  const { user } = state.session;
  const leave = async (): Promise<void> => {
    const isDone = await disconnect();
    setFailed(!isDone);
    if (isDone) onChange();
  };
  return (
    <>
      <p>
        {texts.connected} <strong>{user?.name ?? user?.email ?? texts.someone}</strong>.
      </p>
      <Button onClick={() => void leave()}>{texts.disconnect}</Button>
      {failed && <p role="alert">{texts.disconnectFailed}</p>}
      <p>
        <small>{texts.revoke}</small>
      </p>
    </>
  );
}

function Connect({ session }: { session: Session }) {
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <p>{session.reconnect === true ? texts.notAccepted : texts.notConnected}</p>
      <ConnectLink isAgain={session.reconnect === true} />
      <p>
        <small>{texts.queriesStay}</small>
      </p>
    </>
  );
}

/** Links to the waste platform's login, which returns to the current query. */
export function ConnectLink({ isAgain }: { isAgain: boolean }) {
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <a
      className="pa-link"
      href={loginAddress('/graphiql')}
      onClick={({ currentTarget }) => {
        currentTarget.href = loginAddress(returnPath());
      }}
    >
      {isAgain ? texts.connectAgain : texts.connect}
    </a>
  );
}

function loginAddress(returnTo: string): string {
  return `/auth/waste/login?${new URLSearchParams({ returnTo })}`;
}

/** Longest return path that the gateway accepts. */
const MAX_RETURN_LENGTH = 2000;

const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The target after the login. The tabs of GraphiQL are stored in the browser, by origin; a question is in the address. On
 * the user's own machine the login may end at another origin, `127.0.0.1` instead of `localhost`: there the target
 * contains the address. Elsewhere it does not, to keep questions out of server logs.
 */
function returnPath(): string {
  const text = mode.get() === 'code' ? editors.get()?.read() : undefined;
  const path = `/graphiql${text === undefined ? window.location.hash : shareFragment(text)}`;
  return OWN_MACHINE.test(window.location.hostname) && path.length <= MAX_RETURN_LENGTH ? path : '/graphiql';
}

/** Who is connected to the waste platform. */
interface Session {
  readonly connected: boolean;
  /** Whether the platform no longer accepts an earlier login. */
  readonly reconnect?: boolean;
  readonly user: { readonly name?: string | null; readonly email?: string | null } | null;
}

/** The state of the login: a session, `none` if logging in is off, or unknown. */
export type LoginState =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Fetches the state of the login; rejects only if the signal aborts. */
export async function readLogin(signal: AbortSignal): Promise<LoginState> {
  try {
    const response = await window.fetch('/auth/session', { signal });
    if (response.status === 404) return { kind: 'none' };
    if (response.status === 503) return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).storeDown };
    if (!response.ok) return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).status(response.status) };
    const { waste }: { waste: Session } = await response.json();
    return { kind: 'session', session: waste };
  } catch {
    signal.throwIfAborted();
    return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).noResponse };
  }
}

/** Ends the session; returns whether that succeeded. The header protects against forged requests. */
async function disconnect(): Promise<boolean> {
  try {
    const { ok } = await window.fetch('/auth/waste/logout', { method: 'POST', headers: { 'x-passerelle-csrf': '1' } });
    return ok;
  } catch {
    return false;
  }
}

/** The services that take keys; for the others, people log in. */
const KEYED = SERVICES.filter((name) => SERVICE_ENTRIES[name].credential.kind === 'key');

/** Inputs for the user's own keys, which are held only in memory. `onDone` is called when one was edited. */
export function KeyFields({ onDone }: { onDone(): void }) {
  const keys = usePage(({ keys }) => keys);
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <p>
        <small>{texts.keysNote}</small>
      </p>
      {KEYED.map((name) => (
        <label key={name}>
          {name}{' '}
          <input
            type="password"
            autoComplete="off"
            placeholder={texts.operatorKey}
            data-key-of={name}
            value={keys[name] ?? ''}
            onBlur={onDone}
            onChange={({ target }) => changePage({ keys: { ...keys, [name]: target.value.trim() } })}
          />
        </label>
      ))}
    </>
  );
}

/** Milliseconds that the panel may take to appear. */
const PATIENCE_MS = 3000;

/** Opens the panel of sources and focuses the field for the user's own key of a service. */
export function openKeyOf(service: string): void {
  const focus = (): boolean => {
    const found = document.querySelector<HTMLElement>(`[data-key-of="${service}"]`);
    found?.focus();
    return found !== null;
  };
  changePage({ panel: 'sources' });
  const observer = new MutationObserver(() => focus() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), PATIENCE_MS);
}

/** Texts of the panels beside the editor. */
export const SIDEBAR_TEXTS = defineTexts({
  en: {
    sources: 'Sources',
    refresh: 'Refresh',
    loading: 'Loading …',
    wastePlatform: 'Waste platform',
    ownKeys: 'Your own keys',
    stateUnknown: (why: string) => `Their state is unknown: ${why}`,
    unknown: 'unknown',
    unknownUpstream: 'unknown upstream',
    states: { UP: 'UP', LOADING: 'LOADING', DEGRADED: 'DEGRADED', DOWN: 'DOWN', OFF: 'OFF' },
    modes: { SANDBOX: 'sandbox: invented data', REAL: 'the real service', OFF: 'not configured' },
    quota: 'Quota',
    quotaUnknown: 'not reported yet',
    reference: 'Reference data',
    old: (age: string) => `${age} old`,
    exportOf: 'Export of',
    exportLicensed: (date: string) => `${date}, which the service licenses for non-profit use`,
    exportLoading: 'loading: workplaces by SIRET are incomplete until then',
    exportMissing: 'not loaded yet',
    keysNote:
      'Each goes to its service and nowhere else. They stay in this page until it is closed: never stored, never in a link.',
    operatorKey: 'the operator’s key',
    loginOff: 'Logging in is off: no client of the platform is configured in this gateway.',
    loginUnknown: (why: string) => `The login state is unknown: ${why}`,
    storeDown: 'The gateway cannot reach its session store at the moment.',
    status: (status: number) => `The gateway responded with HTTP ${status}.`,
    noResponse: 'The gateway does not respond.',
    connected: 'Connected as',
    someone: 'a user',
    disconnect: 'Disconnect',
    disconnectFailed: 'The gateway could not end the session. Try again.',
    revoke: 'The platform keeps the access until you revoke it there: Mon compte > Applications et API.',
    notAccepted: 'The platform no longer accepts the login.',
    notConnected: 'Not connected: viewer returns CREDENTIALS_REQUIRED.',
    connect: 'Connect',
    connectAgain: 'Connect again',
    queriesStay: 'Your queries stay here.',
  },
  fr: {
    sources: 'Sources de données',
    refresh: 'Actualiser',
    loading: 'Chargement …',
    wastePlatform: 'Trackdéchets',
    ownKeys: 'Vos propres clés',
    stateUnknown: (why) => `Leur état est inconnu : ${why}`,
    unknown: 'inconnu',
    unknownUpstream: 'service inconnu',
    states: { UP: 'EN SERVICE', LOADING: 'CHARGEMENT', DEGRADED: 'DÉGRADÉ', DOWN: 'EN PANNE', OFF: 'ARRÊTÉ' },
    modes: { SANDBOX: 'bac à sable : données inventées', REAL: 'le vrai service', OFF: 'non configuré' },
    quota: 'Quota d’appels',
    quotaUnknown: 'pas encore annoncé',
    reference: 'Données de référence',
    old: (age) => `de ${age}`,
    exportOf: 'Export du',
    exportLicensed: (date) => `${date}, sous licence du service pour un usage non lucratif`,
    exportLoading: 'en chargement : d’ici là, les lieux par SIRET sont incomplets',
    exportMissing: 'pas encore chargé',
    keysNote:
      'Chacune va à son service et nulle part ailleurs. Elles restent dans cette page jusqu’à sa fermeture : jamais stockées, jamais dans un lien.',
    operatorKey: 'la clé de l’exploitant',
    loginOff: 'La connexion est désactivée : aucune application Trackdéchets n’est configurée ici.',
    loginUnknown: (why) => `L’état de la connexion est inconnu : ${why}`,
    storeDown: 'La passerelle ne joint pas son magasin de sessions en ce moment.',
    status: (status) => `La passerelle a répondu HTTP ${status}.`,
    noResponse: 'La passerelle ne répond pas.',
    connected: 'En session avec le compte de',
    someone: 'un utilisateur',
    disconnect: 'Se déconnecter',
    disconnectFailed: 'La passerelle n’a pas pu fermer la session. Réessayez.',
    revoke: 'Trackdéchets garde l’accès jusqu’à sa révocation : Mon compte > Applications et API.',
    notAccepted: 'Trackdéchets n’accepte plus la connexion.',
    notConnected: 'Pas de connexion : viewer répond CREDENTIALS_REQUIRED.',
    connect: 'Se connecter',
    connectAgain: 'Se reconnecter',
    queriesStay: 'Vos requêtes restent ici.',
  },
});
