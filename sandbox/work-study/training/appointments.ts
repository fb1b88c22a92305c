import type { FastifyInstance } from 'fastify';
import { isRecord, type Json, type World } from '../../world/types.js';
import { sendApiError, sendBackendError, sendBackendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { textAt } from '../values/fields.js';

/**
 * Organisations for which the backend makes appointments; any other gets a 401, which becomes a 500 (work-study 3).
 */
const REFERERS = ['parcoursup', 'onisep', 'jeune_1_solution', 'affelnet'];
const IDENTIFIERS = ['parcoursup_id', 'onisep_id', 'cle_ministere_educatif'];

/** The link through which a candidate requests an appointment with a training centre (work-study 7.10). */
export function appointmentRoutes(app: FastifyInstance, world: World): void {
  keyedRoute(app, {
    method: 'POST',
    path: '/formation/v1/appointment/generate-link',
    permission: 'appointments:write',
    bodyLimit: 1024 * 1024,
    read: takesAnything,
    handle: (_, request) => generateLink(world, request),
  });
}

function generateLink(world: World, { body, caller, reply }: KeyedRequest): object {
  if (!REFERERS.includes(caller.organisation)) return sendApiError(reply, 500, '');
  const id = onlyIdentifier(body);
  if (id === undefined) {
    const issue = { code: 'invalid_union', path: [], message: 'Invalid input', details: { errors: [] } };
    return sendBackendValidationError(reply, 'body', [issue]);
  }
  const formation = world.formations.find((one) => identifies(one, id));
  if (formation === undefined) return sendBackendError(reply, 404, 'Training not found');
  // Only published courses with a contact address take appointments; the refusal is a 200 (work-study 7.10).
  if (textAt(formation, 'statut', 'catalogue') !== 'publié' || textAt(formation, 'contact', 'email') === null) {
    return { error: 'Appointment request not available' };
  }
  return linkOf(formation, caller.organisation);
}

interface Identifier {
  readonly name: string;
  readonly value: string;
}

/** The identifier, if the body has exactly one of the three and it is a text. */
function onlyIdentifier(body: unknown): Identifier | undefined {
  if (!isRecord(body)) return undefined;
  const [name, ...others] = Object.keys(body);
  const value = name === undefined ? undefined : body[name];
  if (name === undefined || others.length > 0 || !IDENTIFIERS.includes(name)) return undefined;
  return typeof value === 'string' ? { name, value } : undefined;
}

/** In the sandbox, a course's Parcoursup and Onisep numbers are the first and the last digits of its key. */
function identifies(formation: Json, { name, value }: Identifier): boolean {
  const key = textAt(formation, 'identifiant', 'cle_ministere_educatif') ?? '';
  if (name === 'cle_ministere_educatif') return key === value;
  return value !== '' && value === (name === 'parcoursup_id' ? parcoursupId(key) : onisepId(key));
}

/** @returns the Parcoursup number of a course of the sandbox */
function parcoursupId(key: string): string {
  return key.replace(/\D/g, '').slice(0, 12);
}

/** @returns the Onisep number of a course of the sandbox */
function onisepId(key: string): string {
  return `AF.${key.replace(/\D/g, '').slice(-12)}`;
}

function linkOf(formation: Json, referrer: string) {
  const key = textAt(formation, 'identifiant', 'cle_ministere_educatif') ?? '';
  const query = new URLSearchParams({ referrer, cleMinistereEducatif: key });
  return {
    etablissement_formateur_entreprise_raison_sociale: textAt(
      formation,
      'formateur',
      'organisme',
      'unite_legale',
      'raison_sociale',
    ),
    intitule_long: textAt(formation, 'certification', 'valeur', 'intitule', 'cfd', 'long'),
    lieu_formation_adresse: textAt(formation, 'lieu', 'adresse', 'label'),
    code_postal: textAt(formation, 'lieu', 'adresse', 'code_postal'),
    etablissement_formateur_siret: textAt(formation, 'formateur', 'organisme', 'identifiant', 'siret'),
    cfd: textAt(formation, 'certification', 'valeur', 'identifiant', 'cfd'),
    localite: textAt(formation, 'lieu', 'adresse', 'commune', 'nom'),
    cle_ministere_educatif: key,
    form_url: `https://appointments.example/rdva?${query}`,
  };
}
