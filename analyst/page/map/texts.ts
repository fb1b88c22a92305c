import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the map. */
export const MAP_TEXTS = defineTexts({
  en: {
    emptyList: 'This list is empty: there is nothing to draw.',
    noPosition:
      'These rows have no position. Select location { lon lat }, geopoint { type coordinates } or localisation { centre { type coordinates } }.',
    noPositionCame: 'No position came for these rows: the errors above may say why.',
    position: 'Position',
    colour: 'Colour',
    layers: 'Lists',
    fit: 'Fit to the points',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    keys: 'Map: drag or use the arrow keys to move, wheel or + and − to zoom, 0 to fit the points',
    credit:
      'Outlines: svg-maps, CC BY 4.0; overseas IGN Admin Express 2018, Licence Ouverte. Towns: INSEE, Licence Ouverte; GeoNames, CC BY 4.0.',
    points: (count: number) => countInEnglish(count, 'point'),
    outside: (count: number) => `${countInEnglish(count, 'row')} outside the map`,
    nowhere: (count: number) => `${countInEnglish(count, 'row')} without a position`,
    map: (count: number) => `Map of France with ${countInEnglish(count, 'point')}`,
    noRow: 'No row is on the map.',
    previous: 'Previous point',
    next: 'Next point',
    click: 'Click a point for its row.',
    place: (at: number, of: number) => `${at.toLocaleString('en')} of ${of.toLocaleString('en')}`,
    showInTable: 'Show in the table',
    row: 'A row',
    legend: (column: string) => `Legend: ${column}`,
    hideOrShow: 'Hide these rows or show them again, in table and files too',
    onlyThis: 'Show only these rows, or all again, in table and files too',
    rest: 'other or none',
    rowsHere: (count: number) => `${countInEnglish(count, 'row')} here`,
    clickToZoom: 'Click to zoom in.',
    clickToList: 'Click to list them.',
    searched: (kilometres: string, isSquare: boolean) =>
      isSquare
        ? `Dashed: the search area, a square of ${kilometres} km each way.`
        : `Dashed: the search area, ${kilometres} km around.`,
  },
  fr: {
    emptyList: 'Cette liste est vide : il n’y a rien à dessiner.',
    noPosition:
      'Ces lignes n’ont pas de position. Sélectionnez location { lon lat }, geopoint { type coordinates } ou localisation { centre { type coordinates } }.',
    noPositionCame: 'Aucune position n’est arrivée pour ces lignes : les erreurs ci-dessus disent peut-être pourquoi.',
    position: 'Emplacement',
    colour: 'Couleur',
    layers: 'Listes',
    fit: 'Cadrer sur les points',
    zoomIn: 'Zoom avant',
    zoomOut: 'Zoom arrière',
    keys: 'Carte : glisser ou les flèches la déplacent, la molette ou + et − zooment, 0 la cadre sur les points',
    credit:
      'Contours : svg-maps, CC BY 4.0 ; outre-mer : IGN Admin Express 2018, Licence Ouverte. Villes : INSEE, Licence Ouverte ; GeoNames, CC BY 4.0.',
    points: (count) => countInFrench(count, 'point'),
    outside: (count) => `${countInFrench(count, 'ligne')} hors de la carte`,
    nowhere: (count) => `${countInFrench(count, 'ligne')} sans position`,
    map: (count) => `Carte de France avec ${countInFrench(count, 'point')}`,
    noRow: 'Aucune ligne n’est sur la carte.',
    previous: 'Point précédent',
    next: 'Point suivant',
    click: 'Cliquez sur un point pour sa ligne.',
    place: (at, of) => `${at.toLocaleString('fr')} sur ${of.toLocaleString('fr')}`,
    showInTable: 'Montrer dans le tableau',
    row: 'Une ligne',
    legend: (column) => `Légende : ${column}`,
    hideOrShow: 'Masque ces lignes ou les montre à nouveau, dans le tableau et les fichiers aussi',
    onlyThis: 'Ne montre que ces lignes, ou à nouveau toutes, dans le tableau et les fichiers aussi',
    rest: 'autre ou aucune',
    rowsHere: (count) => `${countInFrench(count, 'ligne')} ici`,
    clickToZoom: 'Cliquez pour zoomer.',
    clickToList: 'Cliquez pour les lister.',
    searched: (kilometres, isSquare) =>
      isSquare
        ? `En tirets : la recherche, un carré de ${kilometres} km de chaque côté.`
        : `En tirets : la recherche, ${kilometres} km autour.`,
  },
});
