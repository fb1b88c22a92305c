import { type ReactNode, useEffect, useRef } from 'react';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { defineTexts, useTexts } from '../state/language.js';
import { formatDuration, formatNumber, labelOfService } from './format.js';

/** A button that submits no form. */
export function Button(props: React.ComponentProps<'button'>) {
  return <button type="button" {...props} />;
}

interface SignProps extends React.ComponentProps<'button'> {
  label: string;
  sign: string;
}

/** A button of one sign, such as `×`, with what it does as its accessible name. */
export function SignButton({ label, sign, ...props }: SignProps) {
  return (
    <Button aria-label={label} {...props}>
      {sign}
    </Button>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  titles?: Readonly<Record<string, string>>;
  onChoose(value: string): void;
}

/** A select with its label; an option without a name is shown as a dash. */
export function Choice({ label, value, options, titles = {}, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {titles[option] ?? (option || '–')}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PairProps {
  labels: readonly [first: string, second: string];
  names: readonly string[];
  chosen: readonly string[];
  titles: Readonly<Record<string, string>>;
  onChoose(names: readonly string[]): void;
}

/** Selects one or two of several names: the second select can be left empty, and lacks the first's name. */
export function PairChoice({
  labels: [first, second],
  names,
  chosen: [one = '', two = ''],
  titles,
  onChoose,
}: PairProps) {
  const choose = (...next: readonly string[]): void => onChoose(next.filter((name) => name !== ''));
  const others = ['', ...names.filter((name) => name !== one)];
  return (
    <>
      <Choice {...{ label: first, value: one, options: names, titles }} onChoose={(name) => choose(name, two)} />
      <Choice {...{ label: second, value: two, options: others, titles }} onChoose={(name) => choose(one, name)} />
    </>
  );
}

interface CheckboxProps {
  isChecked: boolean;
  isDisabled?: boolean;
  onCheck(isChecked: boolean): void;
  children: ReactNode;
}

/** A checkbox before its label. */
export function Checkbox({ isChecked, isDisabled = false, onCheck, children }: CheckboxProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onCheck(target.checked)}
      />{' '}
      {children}
    </label>
  );
}

/** A button that unfolds others, until one of them is pressed. */
export function Menu({ title, children }: { title: string; children: ReactNode }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (menu.current === null) return;
    menu.current.open = false;
    menu.current.querySelector('summary')?.focus();
  };
  return (
    <details ref={menu} className="pa-menu" onKeyDown={({ key }) => key === 'Escape' && close()}>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the buttons in it are pressed */}
      <div className="pa-buttons" onClick={close}>
        {children}
      </div>
    </details>
  );
}

interface OverlayProps {
  id: string;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
}

/** A panel over what follows it, which never moves. It has the focus until it closes, then what had it before. */
export function Overlay({ id, isOpen, onClose, children }: OverlayProps) {
  const texts = useTexts(TEXTS);
  const opener = useRef<Element>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    opener.current = document.activeElement;
    panel.current?.focus();
  }, [isOpen]);
  const close = (): void => {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key of whatever has the focus in it
    <div
      ref={panel}
      id={id}
      className="pa-toolbox"
      hidden={!isOpen}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      {isOpen && (
        <>
          {children}
          <SignButton className="pa-close" label={texts.close} sign="×" onClick={close} />
        </>
      )}
    </div>
  );
}

const TEXTS = defineTexts({
  en: {
    close: 'Close',
    quotaOf: (name: string) => `Quota of ${name}`,
    of: (name: string) => `${name}: `,
    left: (remaining: string, limit: string) => `${remaining} of ${limit} left`,
    resets: (time: string) => `, resets in ${time}`,
    allRoutes: 'all routes',
  },
  fr: {
    close: 'Fermer',
    quotaOf: (name) => `Quota de ${name}`,
    of: (name) => `${name} : `,
    left: (remaining, limit) => `il reste ${remaining} sur ${limit}`,
    resets: (time) => `, remise à zéro dans ${time}`,
    allRoutes: 'toutes les routes',
  },
});

/** The gateway's name for a quota that is not for one route. */
const ALL_ROUTES = 'all routes';

/** What is left of a quota, as a meter and as text. The name is that of a service or a route, or `all routes`. */
export function QuotaMeter({ name: of, quota }: { name: string; quota: QuotaLeft }) {
  const { limit, remaining, resetSeconds } = quota;
  const texts = useTexts(TEXTS);
  const name = of === ALL_ROUTES ? texts.allRoutes : of;
  return (
    <p className="pa-quota">
      <meter min={0} max={limit} low={limit / 5} value={remaining} aria-label={texts.quotaOf(name)} /> {texts.of(name)}
      {texts.left(formatNumber(remaining), formatNumber(limit))}
      {resetSeconds > 0 && texts.resets(formatDuration(resetSeconds))}
    </p>
  );
}

/** A service's name in its colour. */
export function ServiceName({ name }: { name: string }) {
  const known = SERVICES.find((service) => service === name);
  const background = known === undefined ? undefined : SERVICE_ENTRIES[known].colour;
  return (
    <span className="pa-service" style={{ background }}>
      {labelOfService(name)}
    </span>
  );
}
