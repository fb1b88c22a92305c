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
export const GRAPHIQL_FRAMES: readonly (readonly [
  english: readonly [string, string],
  french: readonly [string, string],
])[] = [
  [
    ['Execute query (', ')'],
    ['Lancer la requête (', ')'],
  ],
  [
    ['Stop query (', ')'],
    ['Arrêter la requête (', ')'],
  ],
  [
    ['Prettify query (', ')'],
    ['Mettre en forme (', ')'],
  ],
  [
    ['Merge fragments into query (', ')'],
    ['Fondre les fragments dans la requête (', ')'],
  ],
  [
    ['Copy query (', ')'],
    ['Copier la requête (', ')'],
  ],
  [
    ['Re-fetch GraphQL schema (', ')'],
    ['Relire le schéma GraphQL (', ')'],
  ],
  [
    ['Go back to ', ''],
    ['Revenir à ', ''],
  ],
  [
    ['Search ', '...'],
    ['Chercher dans ', ' …'],
  ],
];
