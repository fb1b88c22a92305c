import type { GatewayError } from '../../shared/errors.js';
import { explain } from '../../shared/errors.js';

/** What a section shows. */
export interface Listed {
  readonly summary: string;
  /** By a unique key, so that a row that two pages share is shown once. */
  readonly rows: ReadonlyMap<string, string>;
  readonly errors: readonly GatewayError[];
  /** Loads the next page, or one that failed again; null on the last one. */
  readonly more: (() => Promise<void>) | null;
}

/** Shows a list in the section of this name, below its form if it has one. */
export function showList(name: string, { summary, rows, errors, more }: Listed): void {
  const section = document.querySelector(`section[aria-label="${name}"]`);
  if (section === null) throw new Error(`The page has no section ${name}.`);
  const form = section.querySelector('form');
  const list = document.createElement('ul');
  list.append(...[...rows.values()].map((row) => withText('li', row)));
  // A source that is down fails each of its fields: one sentence is enough.
  const notices = [...new Set(errors.map(explain))].map((text) => {
    const notice = withText('p', text);
    notice.className = 'notice';
    notice.role = 'alert';
    return notice;
  });
  section.replaceChildren(...(form === null ? [] : [form]), withText('h2', summary), ...notices, list);
  if (more !== null) section.append(button(rows.size === 0 ? 'Try again' : 'More', more));
}

/** A button that cannot be pressed again while its work is running. */
export function button(label: string, press: () => Promise<void>): HTMLButtonElement {
  const created = withText('button', label);
  created.type = 'button';
  created.addEventListener('click', () => {
    created.disabled = true;
    void press().finally(() => {
      created.disabled = false;
    });
  });
  return created;
}

function withText<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  // Never as HTML: anybody may have written these names and titles.
  created.textContent = text;
  return created;
}
