import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import type { Trace } from '../../../kernel/trace.js';
import { defineTexts, textsNow } from '../state/language.js';
import { type OwnKeys, page, type Say } from '../state/page-state.js';
import type { GraphqlRequest, GraphqlResponse, QueryResult, TabHeaders } from '../state/query-result.js';

/** There was no GraphQL response; `why` explains it in the page's current language. */
class NoResponse extends Error {
  readonly why: Say;

  constructor(why: Say) {
    super(why());
    this.why = why;
  }
}

/** The message for a failed {@link sendQuery}, in the page's current language. */
export function describeFailure(error: unknown): string {
  const why = error instanceof NoResponse ? error.why() : error instanceof Error ? error.message : '';
  return textsNow(REQUEST_TEXTS).noResponse(why);
}

/** How a request is sent. */
interface Sending {
  readonly signal?: AbortSignal | null;
  /** Those of its tab. */
  readonly headers?: TabHeaders | undefined;
  /** Without the reader's keys and session: what a link may send by itself, and what only names codes. */
  readonly isAnonymous?: boolean;
}

/**
 * Sends one request, with the headers of its tab and the user's own keys. Rejects if the signal aborts, the gateway
 * cannot be reached, or the response is not JSON.
 */
export async function sendQuery(
  request: GraphqlRequest,
  { signal = null, headers = {}, isAnonymous = false }: Sending = {},
): Promise<QueryResult> {
  const startedAt = performance.now();
  const keys = isAnonymous ? {} : page.get().keys;
  const { status, body } = await exchange({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...keyHeaders(keys), ...headers },
    body: JSON.stringify(request),
    credentials: isAnonymous ? 'omit' : 'same-origin',
    signal,
  });
  const { extensions, ...response } = parseResponse(new TextDecoder().decode(body), status);
  const ms = performance.now() - startedAt;
  const trace = extensions?.passerelle ?? null;
  return { request, response, trace, status, ms, bytes: body.byteLength, receivedAt: new Date(), headers };
}

async function exchange(init: RequestInit): Promise<{ readonly status: number; readonly body: ArrayBuffer }> {
  try {
    const http = await window.fetch('/graphql', init);
    return { status: http.status, body: await http.arrayBuffer() };
  } catch (error) {
    // Browsers report network failures like this; an abort is a `DOMException`.
    throw error instanceof TypeError ? new NoResponse(() => textsNow(REQUEST_TEXTS).unreachable) : error;
  }
}

/** The only place where a response becomes typed; the page's own origin is trusted to send GraphQL. */
function parseResponse(text: string, status: number): GraphqlResponse & { extensions?: { passerelle?: Trace } } {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoResponse(() => textsNow(REQUEST_TEXTS).notJson(status));
  }
}

/** The headers that carry the user's own keys. */
export function keyHeaders(keys: OwnKeys): Record<string, string> {
  return Object.fromEntries(
    SERVICES.flatMap((service) => {
      const key = keys[service];
      return key ? [[SERVICE_ENTRIES[service].credential.header, key]] : [];
    }),
  );
}

/** Texts of requests that get no response. */
export const REQUEST_TEXTS = defineTexts({
  en: {
    noResponse: (why: string) => `No response: ${why}`,
    stopped: 'Stopped.',
    asksToWrite: (fields: string, services: string) =>
      `What came by a link changes data: ${fields}. It is sent with ${services === '' ? 'no key of yours' : `your key for ${services}`}, and with your login if you are connected. Run it?`,
    notRun: 'Not run.',
    before: 'The previous response is shown.',
    unreachable: 'the gateway cannot be reached.',
    notJson: (status: number) => `HTTP ${status} without JSON.`,
    noSources: 'The gateway does not report its sources.',
    tooLarge: (size: string) => `${size} of JSON is too large for the editor. Use the table, or download it.`,
  },
  fr: {
    noResponse: (why) => `Pas de réponse : ${why}`,
    stopped: 'Arrêtée.',
    asksToWrite: (fields, services) =>
      `Ce qui est venu par un lien modifie des données : ${fields}. L’envoi se fait ${services === '' ? 'sans clé à vous' : `avec votre clé pour ${services}`}, et avec votre connexion si vous êtes connecté. Lancer ?`,
    notRun: 'Pas lancée.',
    before: 'La réponse précédente est affichée.',
    unreachable: 'la passerelle ne peut pas être jointe.',
    notJson: (status) => `HTTP ${status} sans JSON.`,
    noSources: 'La passerelle ne dit rien de ses sources.',
    tooLarge: (size) => `${size} de JSON sont trop pour l’éditeur. Voyez le tableau, ou téléchargez la réponse.`,
  },
});
