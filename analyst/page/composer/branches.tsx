import { type GraphQLArgument, isLeafType, isRequiredArgument, Kind, print } from 'graphql';
import { type ReactNode, useId, useState } from 'react';
import { ownValue } from '../../../kernel/text.js';
import { Button } from '../elements/button.js';
import { labelOfColumn } from '../labels/labels.js';
import { useTexts } from '../state/language.js';
import { Field } from '../variables/fields.js';
import { labelOfArgument, labelOfField, Sentence } from './labels.js';
import { COMPOSER_TEXTS } from './texts.js';
import { type Branch, branchesOf, type Path } from './tree.js';
import type { Composer } from './use-composer.js';

interface BranchesProps {
  composer: Composer;
  of: readonly Branch[];
  label: string;
  /** What stands before the fields. */
  children?: ReactNode;
}

/** Fields to tick, each with what is below it. */
export function Branches({ composer, of, label, children }: BranchesProps) {
  return (
    <ul className="pa-branches" aria-label={label}>
      {children}
      {of.map((branch) => (
        <One key={branch.path.at(-1)} composer={composer} branch={branch} />
      ))}
    </ul>
  );
}

function One({ composer, branch }: { composer: Composer; branch: Branch }) {
  const { path, field, type } = branch;
  const texts = useTexts(COMPOSER_TEXTS);
  const [isOpen, setOpen] = useState(composer.has(path));
  const name = path.at(-1) ?? '';
  const label =
    field === null
      ? texts.only(labelOfColumn(type.name))
      : labelOfField(name, path.length === 1 ? `Query.${name}` : '');
  // The page of a list is chosen by the button for all pages.
  const criteria = (field?.args ?? []).filter((argument) => argument.name !== 'after');
  const isLeaf = isLeafType(type) && criteria.length === 0;
  const id = useId();
  return (
    <li>
      <div className="pa-branch">
        {isLeaf ? (
          <span />
        ) : (
          <Button
            className="pa-opener"
            aria-expanded={isOpen}
            aria-label={texts.fieldsOf(label)}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '▾' : '▸'}
          </Button>
        )}
        <Tick composer={composer} path={path} label={label} code={name} about={id} onTick={() => setOpen(true)} />
      </div>
      {field !== null && <Sentence field={field} id={id} {...(path.length === 1 && { root: name })} />}
      {isOpen && !isLeaf && (
        <Branches composer={composer} of={branchesOf(composer.schema, type, path)} label={texts.fieldsOf(label)}>
          {criteria.length > 0 && <Criteria composer={composer} path={path} of={criteria} label={label} />}
        </Branches>
      )}
    </li>
  );
}

interface TickProps {
  composer: Composer;
  path: Path;
  label: string;
  /** The name in the query. */
  code: string;
  /** Id of what describes it. */
  about?: string;
  onTick?(): void;
}

/** A field to tick. */
export function Tick({ composer, path, label, code, about, onTick }: TickProps) {
  const isTicked = composer.has(path);
  const toggle = (): void => {
    composer.toggle(path);
    if (!isTicked) onTick?.();
  };
  return (
    <label>
      <input type="checkbox" checked={isTicked} aria-describedby={about} onChange={toggle} /> {label}{' '}
      <code>{code}</code>
    </label>
  );
}

interface CriteriaProps {
  composer: Composer;
  path: Path;
  of: readonly GraphQLArgument[];
  label: string;
}

/** The arguments of a field: a ticked one is a variable, with its picker. */
function Criteria({ composer, path, of, label }: CriteriaProps) {
  const texts = useTexts(COMPOSER_TEXTS);
  const title = texts.criteria(of.length, label);
  const isUsed = of.some(({ name }) => composer.argument(path, name) !== null);
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <li>
      <Button className="pa-opener" data-step aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'} </span>
        {title}
      </Button>
      {isOpen && (
        <ul className="pa-branches" aria-label={title}>
          {of.map((argument) => (
            <Criterion key={argument.name} composer={composer} path={path} argument={argument} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Criterion({ composer, path, argument }: { composer: Composer; path: Path; argument: GraphQLArgument }) {
  const texts = useTexts(COMPOSER_TEXTS);
  const id = useId();
  const label = labelOfArgument(argument, composer.schema);
  const value = composer.argument(path, argument.name);
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={value !== null}
          aria-describedby={id}
          onChange={() => composer.toggleArgument(path, argument)}
        />{' '}
        {label} <code>{argument.name}</code>
        {isRequiredArgument(argument) && <small> {texts.required}</small>}
      </label>
      <Sentence field={argument} id={id} />
      {value?.kind === Kind.VARIABLE ? (
        <Value composer={composer} name={value.name.value} label={label} />
      ) : (
        value !== null && <p className="pa-value">{texts.written(print(value))}</p>
      )}
    </li>
  );
}

/** The picker of a variable. */
function Value({ composer, name, label }: { composer: Composer; name: string; label: string }): ReactNode {
  const id = useId();
  const declaration = composer.declarations.find((one) => one.name === name);
  if (declaration === undefined) return null;
  return (
    <div className="pa-value">
      <Field
        declaration={declaration}
        value={composer.values[name] ?? undefined}
        onChange={(value) => composer.setValue(name, value)}
        input={{ id, 'aria-label': label }}
      />
    </div>
  );
}

/** What arrow keys go to: the ticks, and the buttons that open criteria. */
const STEPS = '[type="checkbox"], [data-step]';

/** Moves by arrow keys as in a tree: down and up to the next step, right and left open and close what is below one. */
export function moveInTree(event: React.KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || !target.matches(`${STEPS}, .pa-opener`)) return;
  const steps = [...currentTarget.querySelectorAll<HTMLElement>(STEPS)];
  const row = target.closest('li');
  const own = row?.querySelector<HTMLElement>(STEPS) ?? target;
  const opener = row?.querySelector<HTMLElement>(':scope > .pa-opener, :scope > .pa-branch > .pa-opener');
  const isOpen = opener?.ariaExpanded === 'true';
  const move = (by: number): void => steps[steps.indexOf(own) + by]?.focus();
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ArrowRight: () => (opener && !isOpen ? opener.click() : move(1)),
    ArrowLeft: () =>
      opener && isOpen ? opener.click() : row?.parentElement?.closest('li')?.querySelector<HTMLElement>(STEPS)?.focus(),
  };
  const go = ownValue(moves, key);
  if (go === undefined) return;
  event.preventDefault();
  go();
}
