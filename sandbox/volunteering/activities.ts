/** Labels of activities that contain a comma themselves (volunteering 7.2). */
const LABELS_WITH_COMMA = [
  'Animation, Valorisation',
  'Médiation, Information',
  'Préservation, Patrimoine',
  'Prévention, Sensibilisation',
  'Secours, Aide',
  'Soutien, Accompagnement',
  'Transmission, Pédagogie',
  'Restauration, hôtellerie',
];

/**
 * The single activities behind a mission's `activity` text, which joins them with commas. The service stores them
 * separately; here, the labels that contain a comma are recognised first.
 */
export function splitActivities(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const activities: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const label = LABELS_WITH_COMMA.find((one) => rest === one || rest.startsWith(`${one}, `));
    const end = label?.length ?? (rest.includes(', ') ? rest.indexOf(', ') : rest.length);
    activities.push(rest.slice(0, end));
    rest = rest.slice(end + 2);
  }
  return activities.filter((activity) => activity !== '');
}
