import { readdir, readFile } from 'node:fs/promises';
import { type Example, FIRST_EXAMPLES, inOrder, readExample } from '../../analyst/read-example.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, writtenCredential } from '../../kernel/services.js';
import type { PageLanguage } from '../../runtime/http/negotiation.js';

const EXAMPLES = new URL('../../analyst/examples/', import.meta.url);

/** All examples, in their order. */
export async function readExamples(): Promise<Example[]> {
  const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.graphql'));
  const read = async (file: string) =>
    readExample(file.slice(0, -'.graphql'.length), await readFile(new URL(file, EXAMPLES), 'utf8'));
  return inOrder(await Promise.all(files.map(read)));
}

function exampleItem({ name, title, about }: Example, language: PageLanguage): string {
  const link = `<a href="/graphiql#example=${name}">${escapeHtml(title[language])}</a>`;
  return `<li>${link}<br />${escapeHtml(about[language])}</li>`;
}

/** Fills the place of the home page for examples. */
export async function withExamples(template: string, language: PageLanguage): Promise<string> {
  const examples = (await readExamples()).filter(({ name }) => FIRST_EXAMPLES.includes(name));
  return template.replace('<!-- examples -->', () => examples.map((one) => exampleItem(one, language)).join('\n'));
}

/** Fills the places of a page that name the services, or how callers send their credentials. */
export function withServices(template: string, language: PageLanguage): string {
  return template
    .replace('<!-- services -->', () => SERVICES.map((name) => stateItem(name, language)).join('\n'))
    .replace('<!-- credentials -->', () => SERVICES.map((name) => credentialText(name, language)).join(', '))
    .replace('<!-- labels -->', () => SERVICES.map((name) => SERVICE_ENTRIES[name].label[language]).join(', '))
    .replace('<!-- own keys -->', () => SERVICES.map((name) => credentialInput(name, language)).join('\n'));
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

function credentialInput(name: ServiceName, language: PageLanguage): string {
  const { credential } = SERVICE_ENTRIES[name];
  const label =
    credential.kind === 'key'
      ? { en: `${name} key`, fr: `clé ${name}` }
      : { en: `${credential.platform.en} token`, fr: `jeton ${credential.platform.fr}` };
  return `<label for="${name}-key">${label[language]}</label>
          <input id="${name}-key" name="${credential.header}" data-credential="${credential.kind}" type="password" autocomplete="off" />`;
}

/** A text without the characters that HTML reads. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
