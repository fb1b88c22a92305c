import { SERVICE_ENTRIES, SERVICES, type ServiceName, writtenCredential } from '../../kernel/services.js';
import type { PageLanguage } from '../../runtime/http/negotiation.js';

/** Fills the places of a page that name the services, or how callers send their credentials. */
export function withServices(template: string, language: PageLanguage): string {
  return template
    .replace('<!-- services -->', () => SERVICES.map((name) => stateItem(name, language)).join('\n'))
    .replace('<!-- credentials -->', () => SERVICES.map((name) => credentialText(name, language)).join(', '));
}

function stateItem(name: ServiceName, language: PageLanguage): string {
  const has = SERVICE_ENTRIES[name].has[language];
  return `<li data-service="${name}"><strong>${name}</strong> ${has} <span class="state">?</span></li>`;
}

function credentialText(name: ServiceName, language: PageLanguage): string {
  const { credential } = SERVICE_ENTRIES[name];
  if (credential.kind === 'key') return `<code>${credential.header}</code>`;
  const { en, fr } = credential.platform;
  return `<code>${writtenCredential(name, '…')}</code> ${{ en: `for the ${en}`, fr: `pour ${fr}` }[language]}`;
}

/** A text without the characters that HTML reads. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
