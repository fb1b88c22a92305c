import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { isDay, PERIODS } from '../../questions/days.js';
import {
  type Criterion,
  criteriaOf,
  criterionOf,
  type Question,
  readPlace,
  type Subject,
  withValues,
  writePlace,
} from '../../questions/question.js';
import { Button, Checkbox, SignButton } from '../elements/controls.js';
import { language, useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { asking, changeDraft, composeNow } from './asking.js';
import { describeCriterion, describeValue } from './describe.js';
import { knowledge } from './known.js';
import { finderOf, Picker } from './picker.js';
import { ASK_TEXTS } from './texts.js';

/** The criteria of a question as chips, each opened by a click and taken away by another, and a picker of further ones. */
export function Criteria({ subject }: { subject: Subject }) {
  const { draft } = useStore(asking);
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  useStore(knowledge);
  const [open, setOpen] = useState<string | null>(null);
  const adder = useRef<HTMLSelectElement>(null);
  const names = Object.keys(draft.criteria);
  const criterion = open === null ? null : criterionOf(open);
  const { problems } = composeNow(draft);
  // What is taken away leaves the focus where a next one is added.
  const close = (): void => {
    setOpen(null);
    adder.current?.focus();
  };
  return (
    <div className="pa-criteria">
      <ul className="pa-criteria-chips" aria-label={texts.criteria}>
        {names.map((name) => {
          const text = describeCriterion(name, draft.criteria[name] ?? []);
          const problem = problems.find((one) => one.criterion === name);
          return (
            <li key={name} className="pa-chip" data-criterion={name} {...(problem && { 'data-problem': problem.why })}>
              <Button aria-expanded={open === name} onClick={() => setOpen(open === name ? null : name)}>
                {text}
              </Button>
              <SignButton
                label={texts.remove(text)}
                sign="×"
                onClick={() => {
                  changeDraft(withValues(draft, name, []));
                  close();
                }}
              />
              {problem && (
                <small className="pa-problem">{texts.problems[problem.why](subject.title[spoken][1] ?? '')}</small>
              )}
            </li>
          );
        })}
      </ul>
      <select ref={adder} aria-label={texts.addCriterion} value="" onChange={({ target }) => setOpen(target.value)}>
        <option value="">{texts.addCriterion} …</option>
        {criteriaOf(subject)
          .filter(({ name }) => !names.includes(name))
          .map(({ name, title }) => (
            <option key={name} value={name}>
              {title[spoken]}
            </option>
          ))}
      </select>
      {problems
        .filter(({ criterion: of }) => !names.includes(of))
        .map(({ criterion: of, why }) => (
          <p key={of} className="pa-problem" role="status">
            {criterionOf(of)?.title[spoken] ?? texts.by}: {texts.problems[why](subject.title[spoken][1] ?? '')}
          </p>
        ))}
      {criterion !== null && (
        <CriterionEditor key={criterion.name} criterion={criterion} subject={subject} draft={draft} onClose={close} />
      )}
    </div>
  );
}

interface EditorProps {
  criterion: Criterion;
  subject: Subject;
  draft: Question;
  onClose(): void;
}

/** The form of one criterion; what is entered is in the question at once. */
function CriterionEditor({ criterion, subject, draft, onClose }: EditorProps) {
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  const id = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  const values = draft.criteria[criterion.name] ?? [];
  const change = (next: readonly string[]): void => changeDraft(withValues(draft, criterion.name, next));
  const fields = { id, criterion, values, onChange: change };
  return (
    <fieldset ref={box} className="pa-criterion" onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      <legend>{criterion.title[spoken]}</legend>
      {criterion.kind === 'period' && <PeriodFields {...fields} />}
      {criterion.kind === 'values' && <ValueFields {...fields} />}
      {['place', 'occupation', 'partner'].includes(criterion.kind) && <PickedFields {...fields} subject={subject} />}
      {criterion.kind === 'ids' && <ListField {...fields} />}
      {(criterion.kind === 'text' || criterion.kind === 'number') && (
        <input
          {...(criterion.kind === 'text' ? { type: 'text' } : { type: 'number', min: 1, max: 1000 })}
          aria-label={criterion.title[spoken]}
          value={values[0] ?? ''}
          onChange={({ target }) => change(target.value === '' ? [] : [target.value])}
        />
      )}
      <Button onClick={onClose}>{texts.done}</Button>
    </fieldset>
  );
}

interface FieldsProps {
  id: string;
  criterion: Criterion;
  values: readonly string[];
  onChange(values: readonly string[]): void;
}

/** A closed list: a checkbox for each value; of yes and no, one at most. */
function ValueFields({ criterion, values, onChange }: FieldsProps) {
  const all = criterion.values ?? [];
  const isOne = all.every(({ code }) => code === 'true' || code === 'false');
  return all.map(({ code }) => (
    <Checkbox
      key={code}
      isChecked={values.includes(code)}
      onCheck={(isChecked) => {
        const others = isOne ? [] : values.filter((value) => value !== code);
        onChange(isChecked ? [...others, code] : others);
      }}
    >
      {describeValue(criterion.name, code)}
    </Checkbox>
  ));
}

/** Places, occupations and partners, found by name; kilometres around a commune; all partners but those chosen. */
function PickedFields({ id, criterion, values, onChange, subject }: FieldsProps & { subject: Subject }) {
  const texts = useTexts(ASK_TEXTS);
  const radius = subject.radius?.in ?? null;
  const find = useMemo(() => finderOf(criterion, radius), [criterion, radius]);
  const place = criterion.kind === 'place' && values.length === 1 ? readPlace(values[0] ?? '') : null;
  const isNear = place?.kind === 'commune';
  const isNot = criterion.kind === 'partner' && values.some((value) => value.startsWith('-'));
  const plain = values.map((value) => (criterion.kind === 'partner' ? value.replace(/^-/, '') : value));
  const written = (next: readonly string[], not = isNot): void =>
    onChange(next.map((value) => (not ? `-${value}` : value)));
  return (
    <>
      <Picker
        find={find}
        values={plain}
        codeOf={(text) => (/^[A-N]\d{4}$/i.test(text) && criterion.kind === 'occupation' ? text.toUpperCase() : null)}
        onChange={(next) => written(next)}
        named={(value) => describeValue(criterion.name, value)}
        input={{ id, 'aria-label': texts.find }}
      />
      {isNear && (
        <label>
          {texts.kilometres}{' '}
          <input
            type="number"
            min="0"
            max="200"
            value={place.radius ?? 0}
            onChange={({ target }) => onChange([writePlace({ ...place, radius: Math.min(200, Number(target.value)) })])}
          />
        </label>
      )}
      {criterion.kind === 'partner' && (
        <Checkbox isChecked={isNot} isDisabled={values.length === 0} onCheck={(not) => written(plain, not)}>
          {texts.allBut}
        </Checkbox>
      )}
    </>
  );
}

/** Several numbers, pasted as they come; those that are none are marked, and stay in the field. */
function ListField({ id, criterion, values, onChange }: FieldsProps) {
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  const [text, setText] = useState(values.join('\n'));
  const form = new RegExp(criterion.form ?? '');
  const all = splitList(text);
  const wrong = all.filter((one) => !form.test(one));
  const change = (next: string): void => {
    setText(next);
    onChange([...new Set(splitList(next).filter((one) => form.test(one)))]);
  };
  return (
    <>
      <textarea
        aria-label={criterion.title[spoken]}
        aria-describedby={`${id}-wrong`}
        aria-invalid={wrong.length > 0}
        rows={3}
        value={text}
        placeholder={texts.listHint}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <span id={`${id}-wrong`} role="status" className={wrong.length > 0 ? 'pa-problem' : 'pa-quiet'}>
        {texts.listOf(all.length - wrong.length)}
        {wrong.length > 0 && ` ${texts.wrongOnes(wrong.slice(0, 5).join(', '), wrong.length)}`}
      </span>
    </>
  );
}

/** A pasted list: lines, tabs, commas and semicolons separate, and spaces, but those within a SIRET. */
function splitList(text: string): string[] {
  return text
    .replaceAll(/(?<!\d)\d{3} \d{3} \d{3} \d{5}(?!\d)/g, (siret) => siret.replaceAll(' ', ''))
    .split(/[\s,;]+/)
    .map((one) => one.replace(/^rncp ?(?=\d)/i, 'RNCP').toUpperCase())
    .filter(Boolean);
}

/** A period by its name, or from and to a day, both included. */
function PeriodFields({ id, values, onChange }: FieldsProps) {
  const texts = useTexts(ASK_TEXTS);
  const [period = ''] = values;
  const [, from = '', to = ''] = /^([\d-]*)\.\.([\d-]*)$/.exec(period) ?? [];
  const write = (first: string, last: string): void =>
    onChange(first === '' && last === '' ? [] : [`${first}..${last}`]);
  const isNamed = (PERIODS as readonly string[]).includes(period);
  return (
    <>
      <select
        aria-label={texts.period}
        value={isNamed ? period : ''}
        onChange={({ target }) => onChange(target.value === '' ? [] : [target.value])}
      >
        <option value="">{texts.ownDays}</option>
        {PERIODS.map((name) => (
          <option key={name} value={name}>
            {texts.periods[name]}
          </option>
        ))}
      </select>
      {(['from', 'to'] as const).map((end) => (
        <label key={end} htmlFor={`${id}-${end}`}>
          {texts[end]}{' '}
          <input
            id={`${id}-${end}`}
            type="date"
            value={end === 'from' ? from : to}
            onChange={({ target }) => {
              const day = target.value === '' || isDay(target.value) ? target.value : '';
              write(end === 'from' ? day : from, end === 'to' ? day : to);
            }}
          />
        </label>
      ))}
    </>
  );
}
