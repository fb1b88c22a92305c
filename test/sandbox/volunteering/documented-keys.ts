/** Keys that are always present in a mission today (volunteering 4.1, 10.1). */
export const MISSION_KEYS = (
  '_id clientId addresses audience compensationAmount compensationUnit compensationType closeToTransport createdAt ' +
  'deletedAt description descriptionHtml domain domainLogo duration endAt lastSyncAt metadata openToMinors ' +
  'organizationActions organizationBeneficiaries organizationCity organizationClientId organizationDescription ' +
  'organizationFullAddress organizationId organizationLogo organizationName organizationPostCode organizationRNA ' +
  'organizationReseaux organizationSiren organizationStatusJuridique organizationType organizationUrl postedAt ' +
  'priority publisherId publisherName publisherUrl publisherLogo reducedMobilityAccessible remote requirements ' +
  'romeSkills schedule snu snuPlaces soft_skills softSkills startAt statusCode statusComment tags tasks title type ' +
  'places updatedAt activity applicationUrl id deleted statusCommentHistoric'
).split(' ');

/** Copies of the first address, absent if there is none (volunteering 4.1). */
export const FLAT_KEYS = 'address city postalCode departmentCode departmentName country location'.split(' ');

/** Keys of an address, sorted (volunteering 4.2). */
export const ADDRESS_KEYS =
  'city country departmentCode departmentName geoPoint geolocStatus id location postalCode region street'.split(' ');
