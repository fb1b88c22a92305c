import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useDeferredValue, useMemo, useState } from 'react';
import { SERVICES } from '../../../kernel/services.js';
import { Button } from '../elements/button.js';
import { ServiceName, Some } from '../elements/controls.js';
import { labelOfService } from '../elements/services.js';
import { language, useTexts } from '../state/language.js';
import { changePage, usePage } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { useFrontTab, useOpenQuery } from '../tabs/editors.js';
import { VARIABLE_TEXTS } from '../variables/texts.js';
import { Branches, moveInTree, Tick } from './branches.js';
import { rootOf } from './edit-query.js';
import { type FieldSearch, type FoundField, fieldSearchOf } from './find-fields.js';
import { labelOfField, labelOfPath, Sentence } from './labels.js';
import { ROOTS } from './roots.js';
import { COMPOSER_TEXTS } from './texts.js';
import { branchesOf, fieldsOf, type Path } from './tree.js';
import { type Composer, useComposer } from './use-composer.js';
import './composer.css';

/*
 * Composes the query in the editor by ticking fields of the graph: arguments become variables, whose pickers stand
 * beside them and in the form. GraphiQL's own plug-in (@graphiql/plugin-explorer, over graphiql-explorer) was weighed
 * against this: no key reaches its fields, it knows neither labels nor pickers, and it presets values; over graphql-js,
 * which parses and prints, our own is not much longer than what made it bearable would be.
 *
 *   tree       the fields below a path, without `edges` and `node`        labels, roots   what they are called
 *   edit-query ticks and unticks in the text of the query                 find-fields     searches all of them
 */

/** The panel: a search of fields, and all of them as a tree. */
export function ComposerPanel() {
  const composer = useComposer();
  const sought = usePage((state) => state.sought);
  const texts = useTexts(COMPOSER_TEXTS);
  const { run } = useGraphiQLActions();
  const open = useOpenQuery();
  const runText = useTexts(VARIABLE_TEXTS).run;
  return (
    <div className="pa-panel pa-composer">
      <div className="pa-panel-head">
        <h2>{texts.title}</h2>
        <span className="pa-buttons">
          <Button onClick={() => open({ query: '', variables: '' })}>{texts.begin}</Button>
          <Button onClick={() => run()}>{runText}</Button>
        </span>
      </div>
      <label>
        {texts.search}{' '}
        <input
          type="search"
          data-search="fields"
          value={sought}
          placeholder={texts.hint}
          onChange={({ target }) => changePage({ sought: target.value })}
        />
      </label>
      {composer === null ? (
        <p role="alert">{texts.unreadable}</p>
      ) : sought.trim() === '' ? (
        <Tree composer={composer} />
      ) : (
        <Found composer={composer} text={sought} />
      )}
    </div>
  );
}

/** All fields, those that a query begins with by service. */
function Tree({ composer }: { composer: Composer }) {
  const texts = useTexts(COMPOSER_TEXTS);
  const tab = useFrontTab();
  const { schema, draft } = composer;
  const roots = [rootOf(draft, schema), ...(draft.operation === null ? [schema.getMutationType()] : [])];
  const branches = roots.flatMap((root) => (root ? branchesOf(schema, root, []) : []));
  const groups = [...SERVICES.toReversed(), null].map((service) => ({
    service,
    of: branches.filter(({ path: [name = ''] }) => (ROOTS[name]?.service ?? null) === service),
  }));
  return (
    <>
      <p>
        <small>{texts.how}</small>
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the ticks and buttons in it */}
      <div key={tab} onKeyDown={moveInTree}>
        {groups
          .filter(({ of }) => of.length > 0)
          .map(({ service, of }) => (
            <section key={service}>
              <h3>{service === null ? texts.changes : <ServiceName name={service} />}</h3>
              <Branches
                composer={composer}
                of={of}
                label={service === null ? texts.changes : labelOfService(service)}
              />
            </section>
          ))}
      </div>
    </>
  );
}

/** Fields that are shown before the list is expanded. */
const FIELDS = 30;
/** Paths that are shown before the list is expanded. */
const PATHS = 4;

/** The fields that have the words of a text, each with its paths, those through what is ticked first. */
function Found({ composer, text }: { composer: Composer; text: string }) {
  const schema = useGraphiQL((state) => state.schema);
  const texts = useTexts(COMPOSER_TEXTS);
  const searched = useDeferredValue(text);
  const search = useMemo<FieldSearch>(() => (schema ? fieldSearchOf(schema) : () => []), [schema]);
  const { draft } = composer;
  const found = useMemo(
    () =>
      search(searched).flatMap(({ holders, ...one }) => {
        const isOfRoot = ([first = one.field.name]: Path) => schema && first in fieldsOf(rootOf(draft, schema, first));
        const usable = holders.filter(isOfRoot);
        return usable.length === 0 ? [] : [{ ...one, holders: usable }];
      }),
    [search, searched, schema, draft],
  );
  return (
    <>
      <p role="status">{texts.found(found.length)}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the ticks and buttons in it */}
      <div key={searched} onKeyDown={moveInTree}>
        <ul className="pa-found">
          <Some of={found} first={FIELDS} more={texts.moreFields}>
            {(one) => <FoundOne key={one.id} composer={composer} found={one} />}
          </Some>
        </ul>
      </div>
    </>
  );
}

function FoundOne({ composer, found: { id, field, holders } }: { composer: Composer; found: FoundField }) {
  const texts = useTexts(COMPOSER_TEXTS);
  useStore(language);
  // In the order of when the list was drawn: it shall not jump under the hand.
  const [paths] = useState(() => {
    const isBegun = ([root]: Path): boolean => root !== undefined && composer.has([root]);
    const sorted = holders.toSorted((one, other) => Number(isBegun(other)) - Number(isBegun(one)));
    return sorted.map((path) => [...path, field.name]);
  });
  return (
    <li>
      <strong>{labelOfField(field.name, id)}</strong> <code>{id}</code>: {String(field.type)}
      <Sentence field={field} />
      <ul>
        <Some of={paths} first={PATHS} more={texts.morePaths}>
          {(path) => (
            <li key={path.join()}>
              <Tick composer={composer} path={path} label={labelOfPath(path)} code={path.join('.')} />
            </li>
          )}
        </Some>
      </ul>
    </li>
  );
}
