import { defineTexts } from '../state/language.js';

/** Texts of requests that get no response. */
export const REQUEST_TEXTS = defineTexts({
  en: {
    noResponse: (why: string) => `No response: ${why}`,
    stopped: 'Stopped.',
    asksToWrite: (fields: string, services: string) =>
      `What came by a link changes data: ${fields}. It is sent with ${services === '' ? 'no key of yours' : `your key for ${services}`}, and with your login if you are connected. Run it?`,
    notRun: 'Not run.',
    before: 'The previous response is shown.',
    unreachable: 'the gateway cannot be reached.',
    notJson: (status: number) => `HTTP ${status} without JSON.`,
    noSources: 'The gateway does not report its sources.',
    tooLarge: (size: string) => `${size} of JSON is too large for the editor. Use the table, or download it.`,
  },
  fr: {
    noResponse: (why) => `Pas de réponse : ${why}`,
    stopped: 'Arrêtée.',
    asksToWrite: (fields, services) =>
      `Ce qui est venu par un lien modifie des données : ${fields}. L’envoi se fait ${services === '' ? 'sans clé à vous' : `avec votre clé pour ${services}`}, et avec votre connexion si vous êtes connecté. Lancer ?`,
    notRun: 'Pas lancée.',
    before: 'La réponse précédente est affichée.',
    unreachable: 'la passerelle ne peut pas être jointe.',
    notJson: (status) => `HTTP ${status} sans JSON.`,
    noSources: 'La passerelle ne dit rien de ses sources.',
    tooLarge: (size) => `${size} de JSON sont trop pour l’éditeur. Voyez le tableau, ou téléchargez la réponse.`,
  },
});
