import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** Texts of the map. */
export const MAP_TEXTS = defineTexts({
  en: {
    emptyList: 'This list is empty: there is nothing to draw.',
    noPosition:
      'These rows have no position. Select location { lon lat }, geopoint { type coordinates } or localisation { centre { type coordinates } }.',
    position: 'Position',
    colour: 'Colour',
    fit: 'Fit to the points',
    credit: 'Outlines: svg-maps, CC BY 4.0; overseas IGN Admin Express 2018, Licence Ouverte.',
    points: (count: number) => countInEnglish(count, 'point'),
    outside: (count: number) => `${countInEnglish(count, 'row')} outside the map`,
    nowhere: (count: number) => `${countInEnglish(count, 'row')} without a position`,
    map: (count: number) => `Map of France with ${countInEnglish(count, 'point')}`,
    noRow: 'No row is on the map.',
    previous: 'Previous point',
    next: 'Next point',
    click: 'Click a point for its row.',
    place: (at: number, of: number) => `${at} of ${of}`,
    showInTable: 'Show in the table',
    row: 'A row',
    more: (count: number) => `and ${count} more on this spot: click again for the next`,
  },
  fr: {
    emptyList: 'Cette liste est vide : il n’y a rien à dessiner.',
    noPosition:
      'Ces lignes n’ont pas de position. Sélectionnez location { lon lat }, geopoint { type coordinates } ou localisation { centre { type coordinates } }.',
    position: 'Emplacement',
    colour: 'Couleur',
    fit: 'Cadrer sur les points',
    credit: 'Contours : svg-maps, CC BY 4.0 ; outre-mer : IGN Admin Express 2018, Licence Ouverte.',
    points: (count) => countInFrench(count, 'point'),
    outside: (count) => `${countInFrench(count, 'ligne')} hors de la carte`,
    nowhere: (count) => `${countInFrench(count, 'ligne')} sans position`,
    map: (count) => `Carte de France avec ${countInFrench(count, 'point')}`,
    noRow: 'Aucune ligne n’est sur la carte.',
    previous: 'Point précédent',
    next: 'Point suivant',
    click: 'Cliquez sur un point pour sa ligne.',
    place: (at, of) => `${at} sur ${of}`,
    showInTable: 'Montrer dans le tableau',
    row: 'Une ligne',
    more: (count) => `et ${countInFrench(count, 'autre')} au même endroit : cliquez encore pour la suite`,
  },
});
