import { defineTexts } from '../state/language.js';

/** Texts of requests that get no response. */
export const REQUEST_TEXTS = defineTexts({
  en: {
    noResponse: (why: string) => `No response: ${why}`,
    stopped: 'Stopped.',
    before: 'The previous response is shown.',
    unreachable: 'the gateway cannot be reached.',
    notJson: (status: number) => `HTTP ${status} without JSON.`,
    noSources: 'The gateway does not report its sources.',
    tooLarge: (size: string) => `${size} of JSON is too large for the editor. Use the table, or download it.`,
  },
  fr: {
    noResponse: (why) => `Pas de réponse : ${why}`,
    stopped: 'Arrêtée.',
    before: 'La réponse précédente est affichée.',
    unreachable: 'la passerelle ne peut pas être jointe.',
    notJson: (status) => `HTTP ${status} sans JSON.`,
    noSources: 'La passerelle ne dit rien de ses sources.',
    tooLarge: (size) => `${size} de JSON sont trop pour l’éditeur. Voyez le tableau, ou téléchargez la réponse.`,
  },
});
