import { departmentByCode } from '../../codes/departments.js';
import { integer, list, object, required, shape, text, type View } from '../../rest/shapes/shape.js';
import { isView, type OffsetPage } from '../lists/paging.js';
import { departmentWrittenAs } from '../values/departments.js';
import { splitActivities } from './activities.js';
import { organizationCodesOf } from './organization-codes.js';
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

/** A page of missions as cached for counting. */
export const missionDigestShape = shape('MissionsDigest', {
  rows: required(list(object(digestedMissionShape))),
  total: integer(),
});

/** What missions are counted and dated by: a twentieth of the bytes that the service sends. Empty text is null. */
export type DigestedMission = View<typeof digestedMissionShape>;

/** The digest of a page, as JSON that `missionDigestShape` reads. */
export function digestOf({ rows, total }: OffsetPage<MissionView>): object {
  return { rows: rows.filter(isView).map(digestMission), total: typeof total === 'number' ? total : null };
}

function digestMission(mission: MissionView): { readonly [Field in keyof DigestedMission]: unknown } {
  const name = readable(() => mission.organizationName) ?? readable(() => mission.associationName);
  return {
    id: readable(() => mission.id),
    departments: departmentsOf(mission),
    domain: readable(() => mission.domain),
    activities: splitActivities(readable(() => mission.activity) ?? ''),
    organization: verifiedOrganization(mission) ?? organizationCodesOf(mission)?.rna ?? name,
    organizationName: name,
    remote: remoteOf(mission),
    type: readable(() => mission.type),
    createdAt: readable(() => mission.createdAt),
    startAt: readable(() => mission.startAt),
  };
}

/**
 * The record that `organizationId` names. Before missions had a list of addresses it was the partner's own identifier,
 * which is another organization's at the next partner (volunteering 4.1).
 */
function verifiedOrganization(mission: MissionView): string | null {
  return readable(() => mission.addresses) === null ? null : readable(() => mission.organizationId);
}

/** Each département of the mission's addresses once: its official code, or the name as sent if no French one has it. */
function departmentsOf(mission: MissionView): string[] {
  const addresses = (readable(() => mission.addresses) ?? []).filter(isView);
  const found = (addresses.length > 0 ? addresses : [mission]).map((place) => {
    const name = readable(() => place.departmentName);
    const department = departmentByCode(readable(() => place.departmentCode) ?? '') ?? departmentWrittenAs(name ?? '');
    return department?.code ?? name;
  });
  return [...new Set(found)].filter((code) => code !== null);
}

/** The graph's value; the source's own word where the graph does not know it. */
function remoteOf(mission: MissionView): string | null {
  const word = readable(() => mission.remote);
  return word === 'OTHER' ? readable(() => mission.remoteRaw) : word;
}

/** Null for a value of a wrong type, which is reported where the mission's field is selected, and for empty text. */
function readable<T>(read: () => T | null): T | null {
  try {
    return read() || null;
  } catch {
    return null;
  }
}
