/** The plain query page: one form, one query at a time, the response as JSON. */

const element = (id) => document.getElementById(id);

let running = null;

element('question').addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
element('stop').addEventListener('click', () => running?.abort());
element('question').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    void run();
  }
});

async function run() {
  running?.abort();
  const question = new AbortController();
  running = question;
  element('stop').disabled = false;
  tell('Running …');
  try {
    const body = JSON.stringify({ query: element('query').value, variables: readVariables() });
    const began = performance.now();
    const response = await window.fetch('/graphql', {
      method: 'POST',
      headers: headers(),
      body,
      signal: question.signal,
    });
    const answer = await response.json();
    const ms = Math.round(performance.now() - began);
    element('answer').value = JSON.stringify(answer, null, 2);
    tell(summary(response.status, ms, answer));
  } catch (error) {
    tell(error.name === 'AbortError' ? 'Stopped.' : `No response: ${error.message}`);
  } finally {
    if (running === question) {
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
    throw new Error('the variables are not JSON.');
  }
}

function headers() {
  const sent = { 'content-type': 'application/json' };
  if (element('trace').checked) sent['x-passerelle-trace'] = '1';
  for (const id of ['work-study-key', 'volunteering-key', 'token']) {
    const { name, value } = element(id);
    if (value.trim() !== '') sent[name] = id === 'token' ? `Bearer ${value.trim()}` : value.trim();
  }
  return sent;
}

function summary(status, ms, { errors = [], extensions }) {
  const words = [`Status ${status} after ${ms} ms.`];
  if (errors.length > 0) words.push(`${errors.length} ${errors.length === 1 ? 'error' : 'errors'}.`);
  const totals = extensions?.passerelle?.totals;
  if (totals) {
    words.push(
      `${totals.callsMade} calls made, ${totals.savedByCache} spared by the cache, ${totals.savedBySharing} shared.`,
    );
  }
  return words.join(' ');
}

function tell(text) {
  element('status').textContent = text;
}
