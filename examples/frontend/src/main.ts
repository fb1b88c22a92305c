import { explain } from '../../shared/errors.js';
import { loginAddress, logOut, readSession } from '../../shared/session.js';
import { CommunesDocument, MeDocument } from './__generated__/graphql.js';
import { showAround } from './around.js';
import { send } from './gateway.js';
import { button } from './list.js';
import { drawMap, type Point, type View } from './map.js';
import { showOrganizations } from './organizations.js';

const find = <Kind extends Element>(selector: string): Kind => {
  const found = document.querySelector<Kind>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
};

const shown: { view: View | null; around: readonly Point[]; organizations: readonly Point[] } = {
  view: null,
  around: [],
  organizations: [],
};

function draw(): void {
  // The map of another commune would be wrong.
  if (shown.view === null) find('#map').replaceChildren();
  else drawMap(find('#map'), shown.view, [...shown.around, ...shown.organizations]);
}

onSubmit('#search', async (fields) => {
  const { data, errors } = await send(CommunesDocument, { name: String(fields.get('name')) });
  const radius = Number(fields.get('radius'));
  const communes = (data?.communesByName ?? []).flatMap((commune) => {
    const insee = commune?.code?.insee;
    return insee == null ? [] : [{ insee, nom: commune?.nom ?? insee }];
  });
  find('#communes').replaceChildren(
    ...errors.map(explain),
    ...communes.map(({ insee, nom }) =>
      button(nom, () =>
        showAround(insee, radius, ({ view, points }) => {
          Object.assign(shown, { view, around: points });
          draw();
        }),
      ),
    ),
  );
});

onSubmit('#organizations', (fields) =>
  showOrganizations(String(fields.get('q')), (points) => {
    shown.organizations = points;
    draw();
  }),
);

await showSession();

async function showSession(): Promise<void> {
  const place = find('#session');
  const { connected, reconnect } = await readSession();
  if (!connected) {
    const link = document.createElement('a');
    link.href = loginAddress();
    link.textContent = reconnect ? 'Log in again' : 'Log in';
    return place.replaceChildren(link);
  }
  const { data, errors } = await send(MeDocument, {});
  const name = data?.viewer?.name ?? errors.map(explain).join(' ');
  const companies = data?.viewer?.companies?.length ?? 0;
  place.replaceChildren(
    `${name}, ${companies} companies `,
    button('Log out', () => logOut().then(showSession)),
  );
}

function onSubmit(form: string, submit: (fields: FormData) => Promise<void>): void {
  find<HTMLFormElement>(form).addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(new FormData(event.currentTarget as HTMLFormElement));
  });
}
