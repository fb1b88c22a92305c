import { departmentByCode } from '../../codes/departments.js';
import { integer, list, object, orNull, required, shape, text, type View } from '../../rest/shape.js';
import { organizationCodesOf } from '../organizations/codes.js';
import { departmentWrittenAs } from '../values/departments.js';
import { isView, type OffsetPage } from '../values/lists.js';
import type { MissionView } from './shapes.js';

const digestedMissionShape = shape('MissionDigest', {
  id: text(),
  departments: required(list(text())),
  domain: text(),
  activities: required(list(text())),
  organization: text(),
  organizationName: text(),
  remote: text(),
  type: text(),
  createdAt: text(),
  startAt: text(),
});

/** A page of missions in the form cached for counting. */
export const missionDigestShape = shape('MissionsDigest', {
  rows: required(list(object(digestedMissionShape))),
  total: integer(),
});

/** What missions are counted and dated by, in a twentieth of the bytes that the service sends. Empty text is null. */
export type DigestedMission = View<typeof digestedMissionShape>;

/** Makes the digest of a page, as JSON that `missionDigestShape` reads, one mission at a step. */
export function* digestOf({ rows, total }: OffsetPage<MissionView>): Generator<void, object> {
  const digests: object[] = [];
  for (const row of rows) {
    if (isView(row)) digests.push(digestMission(row));
    yield;
  }
  return { rows: digests, total: typeof total === 'number' ? total : null };
}

/** Makes the digest of one mission. */
export function digestMission(mission: MissionView): DigestedMission {
  const name = textOrNull(() => mission.organizationName) ?? textOrNull(() => mission.associationName);
  return {
    id: textOrNull(() => mission.id),
    departments: departmentsOf(mission),
    domain: textOrNull(() => mission.domain),
    activities: splitActivities(textOrNull(() => mission.activity) ?? ''),
    organization: verifiedOrganization(mission) ?? organizationCodesOf(mission)?.rna ?? name,
    organizationName: name,
    remote: textOrNull(() => mission.remote),
    type: textOrNull(() => mission.type),
    createdAt: textOrNull(() => mission.createdAt),
    startAt: textOrNull(() => mission.startAt),
  };
}

/**
 * The record that `organizationId` names. Before missions had a list of addresses it was the partner's own identifier,
 * which may belong to a different organization at another partner (volunteering 4.1).
 */
function verifiedOrganization(mission: MissionView): string | null {
  return orNull(() => mission.addresses) === null ? null : textOrNull(() => mission.organizationId);
}

/** Each département of the mission's addresses once: its official code, or the name as sent if it is not French. */
function departmentsOf(mission: MissionView): string[] {
  const addresses = (orNull(() => mission.addresses) ?? []).filter(isView);
  const found = (addresses.length > 0 ? addresses : [mission]).map((place) => {
    const name = textOrNull(() => place.departmentName);
    const department =
      departmentByCode(textOrNull(() => place.departmentCode) ?? '') ?? departmentWrittenAs(name ?? '');
    return department?.code ?? name;
  });
  return [...new Set(found)].filter((code) => code !== null);
}

/** Text; null if it is empty or cannot be read. */
function textOrNull(read: () => string | null): string | null {
  return orNull(read) || null;
}

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
function splitActivities(text: string): string[] {
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
