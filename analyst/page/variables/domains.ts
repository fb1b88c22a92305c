import type { NamedCode } from './named-codes.js';

/** Domains of missions (volunteering 7.1) with their names; the vocabulary is open, so any other word can be typed. */
export const DOMAINS: readonly NamedCode[] = [
  { code: 'animaux', fr: 'Animaux', en: 'Animals' },
  { code: 'autre', fr: 'Interventions d’urgence en cas de crise', en: 'Emergencies and other' },
  { code: 'batiment-industrie-logistique', fr: 'Bâtiment, industrie, logistique', en: 'Building, industry, logistics' },
  { code: 'benevolat-competences', fr: 'Bénévolat de compétences', en: 'Skills-based volunteering' },
  { code: 'communication', fr: 'Communication', en: 'Communications' },
  { code: 'culture-loisirs', fr: 'Culture et loisirs', en: 'Culture and leisure' },
  { code: 'education', fr: 'Éducation pour tous', en: 'Education' },
  { code: 'emploi', fr: 'Emploi', en: 'Employment' },
  { code: 'environnement', fr: 'Environnement', en: 'Environment' },
  { code: 'gestion-finance-droit', fr: 'Gestion, commerce, finance, droit', en: 'Management, trade, finance, law' },
  { code: 'humanitaire', fr: 'Aide humanitaire internationale', en: 'International humanitarian aid' },
  { code: 'memoire-et-citoyennete', fr: 'Mémoire et citoyenneté', en: 'Memory and citizenship' },
  { code: 'numerique', fr: 'Numérique', en: 'Digital' },
  { code: 'prevention-protection', fr: 'Prévention et protection', en: 'Prevention and protection' },
  { code: 'recherche', fr: 'Recherche', en: 'Research' },
  { code: 'sante', fr: 'Santé', en: 'Health' },
  {
    code: 'service-public-defense-securite',
    fr: 'Service public, défense, sécurité',
    en: 'Public service and security',
  },
  { code: 'solidarite-insertion', fr: 'Solidarité et insertion', en: 'Solidarity and inclusion' },
  { code: 'sport', fr: 'Sport', en: 'Sports' },
  { code: 'vivre-ensemble', fr: 'Vivre ensemble', en: 'Living together' },
];
