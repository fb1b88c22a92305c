/** The home page: shows the state of each source next to its name; at `/graphiql`, a query and its response. */

const TEXTS = {
  en: {
    modes: {
      sandbox: 'They are the sandbox: invented data on this machine.',
      real: 'They are the real services.',
    },
    sources: 'Sources:',
    unknown: 'Their state is unknown at the moment.',
    states: { UP: 'UP', LOADING: 'LOADING', DEGRADED: 'DEGRADED', DOWN: 'DOWN', OFF: 'OFF' },
  },
  fr: {
    modes: {
      sandbox: 'C’est le bac à sable : des données inventées sur cette machine.',
      real: 'Ce sont les vrais services.',
    },
    sources: 'Sources :',
    unknown: 'Leur état est inconnu en ce moment.',
    states: { UP: 'EN SERVICE', LOADING: 'CHARGEMENT', DEGRADED: 'DÉGRADÉ', DOWN: 'EN PANNE', OFF: 'ARRÊTÉ' },
  },
};
const texts = TEXTS[document.documentElement.lang];

// The analyst page has this address wherever it was built.
const plain = document.getElementById('plain');
plain.hidden = window.location.pathname !== '/graphiql';
plain.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [{ value: query }, output] = [plain.querySelector('textarea'), plain.querySelector('pre')];
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await window.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    output.textContent = JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    output.textContent = String(error);
  }
});

try {
  const response = await window.fetch('/readyz');
  const { upstreams, sources } = await response.json();
  for (const { name, state } of sources) {
    const place = document.querySelector(`[data-service="${name}"] .state`);
    if (place === null) continue;
    place.textContent = texts.states[state] ?? state;
    place.dataset.state = state;
  }
  show(texts.modes[upstreams] ?? `${texts.sources} ${upstreams}.`);
} catch {
  show(texts.unknown);
}

function show(text) {
  document.getElementById('mode').textContent = text;
}
