/** The home page: shows the state of each source next to its name. */

const MODES = {
  sandbox: 'They are the sandbox: invented data on this machine.',
  real: 'They are the real services.',
};

try {
  const response = await window.fetch('/readyz');
  const { upstreams, sources } = await response.json();
  for (const { name, state } of sources) {
    const place = document.querySelector(`[data-service="${name}"] .state`);
    if (place === null) continue;
    place.textContent = state;
    place.dataset.state = state;
  }
  show(MODES[upstreams] ?? `Sources: ${upstreams}.`);
} catch {
  show('Their state is unknown at the moment.');
}

function show(text) {
  document.getElementById('mode').textContent = text;
}
