import type { Example } from '../../read-example.js';

/**
 * The texts of GraphiQL 5.4 and its plugins in French, since they have no hook for other languages. Names of GraphQL
 * itself, such as Query, stay.
 */
export const GRAPHIQL_TEXTS: Readonly<Record<string, string>> = {
  // The editor and its tabs.
  '<untitled>': '<sans titre>',
  'New tab': 'Nouvel onglet',
  'Close Tab': 'Fermer l’onglet',
  'Select active operation': 'Choisir l’opération active',
  'Operation Editor': 'Éditeur de requêtes',
  'Editor Commands': 'Commandes de l’éditeur',
  'Result Window': 'Fenêtre du résultat',
  'Show editor tools': 'Montrer les variables',
  'Hide editor tools': 'Masquer les variables',
  // The sidebar.
  'Re-fetch GraphQL schema': 'Relire le schéma GraphQL',
  'Open short keys dialog': 'Montrer les raccourcis',
  'Open settings dialog': 'Ouvrir les réglages',
  'Show Documentation Explorer': 'Montrer la documentation',
  'Hide Documentation Explorer': 'Masquer la documentation',
  'Show History': 'Montrer l’historique',
  'Hide History': 'Masquer l’historique',
  'Show GraphiQL Explorer': 'Montrer le composeur de requêtes',
  'Hide GraphiQL Explorer': 'Masquer le composeur de requêtes',
  'Show Saved queries': 'Montrer les requêtes enregistrées',
  'Hide Saved queries': 'Masquer les requêtes enregistrées',
  'Show Sources': 'Montrer les sources de données',
  'Hide Sources': 'Masquer les sources de données',
  'Show Find a field': 'Montrer la recherche d’un champ',
  'Hide Find a field': 'Masquer la recherche d’un champ',
  // The dialogs.
  'Short Keys': 'Raccourcis clavier',
  'Short Key': 'Raccourci',
  Function: 'Fonction',
  'Close dialog': 'Fermer la fenêtre',
  'This modal provides a list of available keyboard shortcuts and their functions.':
    'Cette fenêtre liste les raccourcis clavier et leurs fonctions.',
  'Execute query': 'Lancer la requête',
  'Open the Command Palette (you must have focus in the editor)': 'Ouvrir la palette de commandes (depuis l’éditeur)',
  'Prettify editors': 'Mettre les éditeurs en forme',
  'Copy query': 'Copier la requête',
  'Re-fetch schema using introspection': 'Relire le schéma par introspection',
  'Search in documentation': 'Chercher dans la documentation',
  'Search in editor': 'Chercher dans l’éditeur',
  'Merge fragments definitions into operation definition': 'Fondre les fragments dans l’opération',
  'This Graph': 'Cet éditeur Graph',
  'QL editor uses': 'QL se sert de',
  'Monaco editor shortcuts': 'l’éditeur Monaco',
  ', with keybindings similar to VS Code. See the full list of shortcuts for':
    ', avec des raccourcis proches de VS Code. La liste complète, pour',
  or: 'ou',
  Settings: 'Réglages',
  'This modal lets you adjust header persistence, interface theme, and clear local storage.':
    'Cette fenêtre règle le thème et efface ce que ce navigateur garde.',
  Theme: 'Thème',
  'Adjust how the interface appears.': 'Choisir l’apparence de la page.',
  System: 'Système',
  Light: 'Clair',
  Dark: 'Sombre',
  'Clear storage': 'Effacer les données',
  'Remove all locally stored data and start fresh.': 'Effacer ce que l’éditeur garde dans ce navigateur.',
  'Clear data': 'Effacer tout',
  'Cleared data': 'Données effacées',
  Failed: 'Échec',
  // History and composer.
  History: 'Historique',
  Clear: 'Effacer',
  Cleared: 'Effacé',
  'Failed to Clear': 'Échec de l’effacement',
  'Type a label': 'Donner un nom',
  Save: 'Enregistrer',
  'Set active': 'Rendre active',
  'Edit label': 'Modifier le nom',
  'Add favorite': 'Ajouter aux favoris',
  'Remove favorite': 'Retirer des favoris',
  'Delete from history': 'Supprimer de l’historique',
  Explorer: 'Composeur de requêtes',
  'Add new': 'Ajouter',
  // Documentation.
  'Documentation Explorer': 'Exploration de la documentation',
  Docs: 'Schéma',
  'A GraphQL schema provides a root type for each kind of operation.':
    'Un schéma GraphQL a un type racine pour chaque sorte d’opération. Ses descriptions sont en anglais.',
  'Root Types': 'Types racines',
  'All Schema Types': 'Tous les types du schéma',
  Fields: 'Champs',
  Arguments: 'Paramètres',
  Implements: 'Réalise',
  Implementations: 'Réalisations',
  'Possible Types': 'Types possibles',
  'Enum Values': 'Valeurs possibles',
  Directives: 'Directives du schéma',
  Deprecated: 'Obsolète',
  'Deprecated Fields': 'Champs obsolètes',
  'Deprecated Arguments': 'Paramètres obsolètes',
  'Deprecated Enum Values': 'Valeurs obsolètes',
  'Show Deprecated Fields': 'Montrer les champs obsolètes',
  'Show Deprecated Arguments': 'Montrer les paramètres obsolètes',
  'Show Deprecated Values': 'Montrer les valeurs obsolètes',
  'No results found': 'Aucun résultat',
  'Other results': 'Autres résultats',
  'Error fetching schema': 'Le schéma n’a pas pu être lu',
  'No GraphQL schema available': 'Aucun schéma GraphQL disponible',
};

/** GraphiQL's own commands in the editor's menu. */
export const EDITOR_COMMANDS: Readonly<Record<string, string>> = {
  'Prettify Editors': 'Mettre les éditeurs en forme',
  'Merge Fragments into Query': 'Fondre les fragments dans la requête',
  'Run Operation': 'Lancer la requête',
  'Copy Query': 'Copier la requête',
};

/** Texts that contain a name or keys: the parts before and after those. */
export const GRAPHIQL_FRAMES = [
  ['Execute query ({})', 'Lancer la requête ({})'],
  ['Stop query ({})', 'Arrêter la requête ({})'],
  ['Prettify query ({})', 'Mettre en forme ({})'],
  ['Merge fragments into query ({})', 'Fondre les fragments dans la requête ({})'],
  ['Copy query ({})', 'Copier la requête ({})'],
  ['Re-fetch GraphQL schema ({})', 'Relire le schéma GraphQL ({})'],
  ['Go back to {}', 'Revenir à {}'],
  ['Search {}...', 'Chercher dans {} …'],
].map(([english = '', french = '']) => [frameOf(english), frameOf(french)] as const);

function frameOf(text: string): readonly [before: string, after: string] {
  const [before = '', after = ''] = text.split('{}');
  return [before, after];
}

/** Attributes that people read or hear. */
const ATTRIBUTES = ['aria-label', 'title', 'placeholder'];

/** Parts with texts of users, of the schema, or of this page's own components. */
const OTHERS = [
  ...['.monaco-editor', '.pa-pane', '.pa-panel', '.pa-dialog', '.pa-top', '.graphiql-history-item-label'],
  ...['.graphiql-doc-explorer-type-name', '.graphiql-doc-explorer-field-name', '.graphiql-doc-explorer-argument-name'],
  ...['.graphiql-doc-explorer-search-type', '.graphiql-doc-explorer-search-field'],
].join();

/** Tabs are named after their operations. Only the name of an untitled tab has a bracket. */
const NAMED_BY_USERS = '.graphiql-tab-button';

/** The translation of a text, which may be the name of a tab; undefined if unknown. */
type Translate = (text: string, isTab?: boolean) => string | undefined;

/**
 * Keeps GraphiQL's own texts French until it is stopped, which restores the English ones. Only the values of texts and
 * attributes change, no nodes: React is not disturbed, and what it writes later is translated then. Tabs have the French
 * titles of the examples that their operations are.
 */
export function translateGraphiql(examples: readonly Example[]): () => void {
  const titles = examples.map(({ query, title }) => [/^query (\w+)/.exec(query)?.[1] ?? '', title.fr] as const);
  const toFrench = translator(Object.entries(GRAPHIQL_TEXTS), GRAPHIQL_FRAMES, titles);
  const toEnglish = translator(
    Object.entries(GRAPHIQL_TEXTS).map(([english, french]) => [french, english] as const),
    GRAPHIQL_FRAMES.map(([english, french]) => [french, english] as const),
    titles.map(([name, title]) => [title, name] as const),
  );
  translateBelow(document.body, toFrench);
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (elementOf(target)?.closest(OTHERS)) continue;
      translateNode(target, toFrench);
      for (const node of addedNodes) translateBelow(node, toFrench);
    }
  });
  const what = { childList: true, characterData: true, attributes: true, attributeFilter: ATTRIBUTES, subtree: true };
  observer.observe(document.body, what);
  return () => {
    observer.disconnect();
    translateBelow(document.body, toEnglish);
  };
}

function translator(
  texts: readonly (readonly [from: string, to: string])[],
  frames: readonly (readonly [from: readonly [string, string], to: readonly [string, string]])[],
  tabs: readonly (readonly [from: string, to: string])[],
): Translate {
  const known = new Map(texts);
  const ofTabs = new Map(tabs);
  return (text, isTab = false) => {
    if (isTab && !text.startsWith('<')) return ofTabs.get(text);
    const exact = known.get(text);
    if (exact !== undefined) return exact;
    const frame = frames.find(([[before, after]]) => text.startsWith(before) && text.endsWith(after));
    if (frame === undefined) return undefined;
    const [from, to] = frame;
    const inside = text.slice(from[0].length, text.length - from[1].length);
    return `${to[0]}${known.get(inside) ?? inside}${to[1]}`;
  };
}

function translateBelow(node: Node, translate: Translate): void {
  if (elementOf(node)?.closest(OTHERS)) return;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (found) =>
    found instanceof Element && found.matches(OTHERS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let found: Node | null = node; found !== null; found = walker.nextNode()) translateNode(found, translate);
}

function translateNode(node: Node, translate: Translate): void {
  if (node instanceof Element) {
    for (const name of ATTRIBUTES) {
      const translated = translate(node.getAttribute(name) ?? '');
      if (translated !== undefined) node.setAttribute(name, translated);
    }
  } else if (node instanceof Text) {
    // In a description, a word such as `or` has spaces around it, and so is left alone.
    const translated = translate(node.data, node.parentElement?.closest(NAMED_BY_USERS) != null);
    if (translated !== undefined) node.data = translated;
  }
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}
