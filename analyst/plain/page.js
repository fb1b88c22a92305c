/** The plain query page: one form, one query at a time, the response as JSON. */

const TEXTS = {
  en: {
    running: 'Running …',
    stopped: 'Stopped.',
    noResponse: 'No response:',
    notJson: 'the variables are not JSON.',
    status: (status, ms) => `Status ${status} after ${ms} ms.`,
    errors: (count) => `${count} ${count === 1 ? 'error' : 'errors'}.`,
    calls: (made, cached, shared) => `${made} calls made, ${cached} saved by the cache, ${shared} shared.`,
  },
  fr: {
    running: 'En cours …',
    stopped: 'Arrêtée.',
    noResponse: 'Pas de réponse :',
    notJson: 'les variables ne sont pas du JSON.',
    status: (status, ms) => `Statut ${status} après ${ms} ms.`,
    errors: (count) => `${count} ${count < 2 ? 'erreur' : 'erreurs'}.`,
    calls: (made, cached, shared) => `Appels faits : ${made}, évités par le cache : ${cached}, partagés : ${shared}.`,
  },
};
const texts = TEXTS[document.documentElement.lang];

const element = (id) => document.getElementById(id);

let running = null;

element('query-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
element('stop').addEventListener('click', () => running?.abort());
element('query-form').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    void run();
  }
});

async function run() {
  running?.abort();
  const request = new AbortController();
  running = request;
  element('stop').disabled = false;
  show(texts.running);
  try {
    const body = JSON.stringify({ query: element('query').value, variables: readVariables() });
    const startedAt = performance.now();
    const response = await window.fetch('/graphql', {
      method: 'POST',
      headers: headers(),
      body,
      signal: request.signal,
    });
    const result = await response.json();
    const ms = Math.round(performance.now() - startedAt);
    element('response').value = JSON.stringify(result, null, 2);
    show(summary(response.status, ms, result));
  } catch (error) {
    show(error.name === 'AbortError' ? texts.stopped : `${texts.noResponse} ${error.message}`);
  } finally {
    if (running === request) {
      running = null;
      element('stop').disabled = true;
    }
  }
}

function readVariables() {
  const text = element('variables').value.trim();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(texts.notJson);
  }
}

function headers() {
  const sent = { 'content-type': 'application/json' };
  if (element('trace').checked) sent['x-passerelle-trace'] = '1';
  for (const { name, value, dataset } of document.querySelectorAll('input[data-credential]')) {
    if (value.trim() !== '') sent[name] = dataset.credential === 'token' ? `Bearer ${value.trim()}` : value.trim();
  }
  return sent;
}

function summary(status, ms, { errors = [], extensions }) {
  const words = [texts.status(status, ms)];
  if (errors.length > 0) words.push(texts.errors(errors.length));
  const totals = extensions?.passerelle?.totals;
  if (totals) {
    words.push(texts.calls(totals.callsMade, totals.savedByCache, totals.savedBySharing));
  }
  return words.join(' ');
}

function show(text) {
  element('status').textContent = text;
}
