import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../server/express.js';
import type { ClientApplication } from './platform.js';

/** The login form, which posts to the API host with the return path in a hidden field (waste-identity 3.6). */
export function sendLoginPage(
  reply: FastifyReply,
  page: {
    apiUrl: string;
    returnTo: string;
    failed: boolean;
    emails: readonly string[];
    /** The password of every user: the sandbox's own, not a secret. */
    password: string;
  },
): FastifyReply {
  const failure = page.failed ? '<p role="alert">Adresse e-mail ou mot de passe incorrect.</p>' : '';
  return sendPage(
    reply,
    'Se connecter',
    `${failure}
<form method="post" action="${escapeHtml(page.apiUrl)}/login">
<input type="hidden" name="returnTo" value="${escapeHtml(page.returnTo)}">
<p><label>Adresse e-mail <input type="email" name="email" required autocomplete="username" list="users"></label></p>
<datalist id="users">${page.emails.map((email) => `<option value="${escapeHtml(email)}"></option>`).join('')}</datalist>
<p><label>Mot de passe <input type="password" name="password" required autocomplete="current-password"></label></p>
<p><button type="submit">Se connecter</button></p>
</form>
<p>Bac à sable : ${page.emails.map((email) => `<code>${escapeHtml(email)}</code>`).join(', ')} ; mot de passe <code>${escapeHtml(page.password)}</code></p>`,
  );
}

/** The form for the second factor, showing its code. It has no `returnTo`: the user must start again at the client. */
export function sendSecondFactorPage(
  reply: FastifyReply,
  page: { apiUrl: string; failed: boolean; code: string },
): FastifyReply {
  const failure = page.failed ? '<p role="alert">Code incorrect.</p>' : '';
  return sendPage(
    reply,
    'Double authentification',
    `${failure}
<form method="post" action="${escapeHtml(page.apiUrl)}/otp">
<p><label>Code à six chiffres <input name="totp" inputmode="numeric" required autocomplete="one-time-code"></label></p>
<p><button type="submit">Valider</button></p>
</form>
<p>Bac à sable : code <code>${escapeHtml(page.code)}</code>. Recommencez ensuite la connexion depuis l’application.</p>`,
  );
}

/** The consent form: a deny button called `cancel` and an allow button without a name (waste-identity 3.4). */
export function sendConsentPage(
  reply: FastifyReply,
  page: {
    apiUrl: string;
    transactionId: string;
    userName: string;
    application: ClientApplication;
    redirectUri: string;
  },
): FastifyReply {
  const application = `<strong>${escapeHtml(page.application.name)}</strong>`;
  return sendPage(
    reply,
    'Autoriser une application',
    `<p>Bonjour ${escapeHtml(page.userName)}. L'application ${application} demande à accéder à votre compte :</p>
<ul>
<li>lire votre nom, votre adresse e-mail et vos établissements ;</li>
<li>créer et signer des bordereaux de suivi de déchets.</li>
</ul>
<p>Cet accès est révocable depuis « Mon compte &gt; Applications et API ».</p>
<form method="post" action="${escapeHtml(page.apiUrl)}/oauth2/authorize/decision">
<input type="hidden" name="transaction_id" value="${escapeHtml(page.transactionId)}">
<p><button type="submit" name="cancel" value="deny">Refuser</button> <button type="submit">Autoriser</button></p>
</form>
<p>En autorisant, vous serez redirigé vers ${escapeHtml(page.redirectUri)}</p>`,
  );
}

/** The error of an authorization request, as text in the platform's own page (waste-identity 3.3). */
export function sendErrorPage(reply: FastifyReply, message: string): FastifyReply {
  return sendPage(reply, 'Erreur', `<p role="alert">${escapeHtml(message)}</p>`);
}

/** The user's authorized applications, each with a button that revokes it (waste-identity 5.5). */
export function sendApplicationsPage(reply: FastifyReply, applications: readonly ClientApplication[]): FastifyReply {
  const rows = applications.map(
    ({ id, name }) => `<li><form method="post" action="/account/applications/revoke">${escapeHtml(name)}
<input type="hidden" name="id" value="${escapeHtml(id)}"> <button type="submit">Révoquer</button></form></li>`,
  );
  const list = rows.length === 0 ? '<p>Aucune application autorisée.</p>' : `<ul>${rows.join('\n')}</ul>`;
  return sendPage(reply, 'Gérer les applications autorisées', list);
}

/** Any other page of the single-page application: 200, whatever the path (waste-identity 2). */
export function sendHomePage(
  reply: FastifyReply,
  page: { apiUrl: string; userName: string | undefined },
): FastifyReply {
  if (page.userName === undefined)
    return sendPage(reply, 'Suivi des déchets', '<p><a href="/login">Se connecter</a></p>');
  return sendPage(
    reply,
    'Suivi des déchets',
    `<p>Bonjour ${escapeHtml(page.userName)}.</p>
<p><a href="/account/applications">Applications et API</a></p>
<form method="post" action="${escapeHtml(page.apiUrl)}/logout"><p><button type="submit">Se déconnecter</button></p></form>`,
  );
}

function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  const page = `<!DOCTYPE html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · bac à sable</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="sandbox">Plateforme fictive du bac à sable : aucune donnée réelle.</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(page);
}

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;margin:0;background:#f6f6f6;color:#161616}' +
  'main{max-width:34rem;margin:3rem auto;padding:2rem;background:#fff}' +
  'button,input{font:inherit;padding:.4rem .8rem}.sandbox{color:#555}';

/** No framing, and forms only to http and https, redirects included (waste-identity 3.4). */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action http:; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
};
