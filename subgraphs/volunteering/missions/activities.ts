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

/** The single activities in a mission's `activity`, which joins them by commas. Labels with commas are tried first. */
export function splitActivities(text: string): string[] {
  const activities: string[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const known = LABELS_WITH_COMMA.find((label) => rest === label || rest.startsWith(`${label},`));
    const comma = rest.indexOf(',');
    const activity = known ?? (comma === -1 ? rest : rest.slice(0, comma));
    if (activity.trim() !== '') activities.push(activity.trim());
    rest = rest.slice(activity.length + 1).trim();
  }
  return [...new Set(activities)];
}
