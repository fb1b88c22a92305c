import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useDeferredValue, useEffect, useId, useMemo, useRef } from 'react';
import { ownValue } from '../../../kernel/text.js';
import { Button } from '../elements/button.js';
import { useWindowEvent } from '../elements/effects.js';
import { writesOf } from '../request/linked-writes.js';
import { language, textsNow, useTexts } from '../state/language.js';
import { mode, unfold } from '../state/mode.js';
import { useStore } from '../state/store.js';
import { useActiveQuery, useQueryText, useVariablesText } from '../tabs/editors.js';
import { type Declaration, readDeclarations } from './declarations.js';
import { Field } from './fields.js';
import { VARIABLE_TEXTS } from './texts.js';
import { labelsOf, type Problem, problemOf, readValues, type VariableValues, writeValue } from './values.js';

/**
 * The variables of the current operation as a form. Their values exist only in GraphiQL's variable editor: the form
 * shows its text and writes into it.
 */
export function VariablesForm() {
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  const run = useRun();
  const texts = useTexts(VARIABLE_TEXTS);
  const form = useRef<HTMLFormElement>(null);
  const query = useDeferredValue(useQueryText());
  const text = useVariablesText();
  const declarations = useDeclarations(query, operationName);
  const values = useMemo(() => readValues(text), [text]);
  const isQuestion = useStore(mode) === 'question';
  const isWrite = useMemo(() => writesOf(query).length > 0, [query]);
  useShownWrite(isWrite, isQuestion);
  useSubmitKey(form);
  // Folded editors take their button with them.
  if (declarations.length === 0 && !isQuestion && !isWrite) return null;
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (invalid) invalid.focus();
    else run();
  };
  const showJson = (): void => {
    // GraphiQL has no action for its editor tabs.
    document.querySelector<HTMLElement>('.graphiql-editor-tools [data-name="variables"]')?.click();
    variableEditor?.focus();
  };
  return (
    <form
      ref={form}
      className="pa-variables"
      aria-label={texts.title(declarations.length)}
      noValidate
      onSubmit={submit}
    >
      {values === null ? (
        <p role="alert">{texts.notJson}</p>
      ) : (
        <Fields declarations={declarations} values={values} onChange={(next) => variableEditor?.setValue(next)} />
      )}
      <span className="pa-buttons">
        <button type="submit" className="pa-run">
          {isWrite ? texts.runWrite : texts.run}
        </button>
        {!isQuestion && (
          <Button title={texts.jsonHint} onClick={showJson}>
            {texts.json}
          </Button>
        )}
      </span>
    </form>
  );
}

/** Keeps a mutation in view, and says on GraphiQL's own button too that it changes data. */
function useShownWrite(isWrite: boolean, isQuestion: boolean): void {
  const { runWrite } = useTexts(VARIABLE_TEXTS);
  useEffect(() => {
    if (isWrite && isQuestion) unfold();
    const button = document.querySelector<HTMLElement>('.graphiql-execute-button');
    if (button !== null) button.title = isWrite ? runWrite : '';
  }, [isWrite, isQuestion, runWrite]);
}

/** Submits the form by Ctrl-Enter from anywhere, as the editors' own key does: folded ones have no focus. */
function useSubmitKey(form: React.RefObject<HTMLFormElement | null>): void {
  useWindowEvent('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest('.monaco-editor')) return;
    event.preventDefault();
    form.current?.requestSubmit();
  });
}

/** Runs what is in the editors. While it runs, once more is no reason to stop it, as GraphiQL would. */
function useRun(): () => void {
  const { run, stop } = useGraphiQLActions();
  const isFetching = useGraphiQL((state) => state.isFetching);
  const query = useActiveQuery();
  const sent = useRef('');
  return () => {
    const next = JSON.stringify(query());
    if (isFetching && next === sent.current) return;
    sent.current = next;
    if (isFetching) stop();
    void run();
  };
}

interface FieldsProps {
  declarations: readonly Declaration[];
  values: VariableValues;
  /** Receives the new text of the variable editor. */
  onChange(text: string): void;
}

function Fields({ declarations, values, onChange }: FieldsProps) {
  useStore(language);
  const labels = labelsOf(declarations);
  return declarations.map((declaration, index) => (
    <Labelled
      key={`${declaration.name} ${declaration.type}`}
      declaration={declaration}
      label={labels[index] ?? declaration.name}
      value={values[declaration.name] ?? undefined}
      onChange={(value) => onChange(writeValue(values, declaration.name, value))}
    />
  ));
}

interface LabelledProps {
  declaration: Declaration;
  label: string;
  value: unknown;
  onChange(value: unknown): void;
}

function Labelled({ declaration, label, value, onChange }: LabelledProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  const id = useId();
  const problem = problemOf(declaration, value);
  const { isRequired, standard, description } = declaration;
  // A group of inputs needs a name of its own, since a label names only one input.
  const isGroup = declaration.kind === 'dateRange' || (declaration.kind === 'choice' && declaration.isList);
  return (
    <div className="pa-field">
      <label htmlFor={id} title={description}>
        {label}
        {isRequired && <small className="pa-required"> {texts.required}</small>}
      </label>
      <Field
        declaration={declaration}
        value={value}
        onChange={onChange}
        input={{
          id,
          ...(isGroup && { 'aria-label': label }),
          ...(problem !== null && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` }),
        }}
      />
      {value === undefined && standard !== undefined && <small>{texts.standard(JSON.stringify(standard))}</small>}
      {problem !== null && (
        <small id={`${id}-problem`} className="pa-problem" role="alert">
          {describeProblem(declaration, problem)}
        </small>
      )}
    </div>
  );
}

function describeProblem({ scalar }: Declaration, problem: Problem): string {
  const { problems, codes } = textsNow(VARIABLE_TEXTS);
  const forms: Readonly<Record<string, string>> = codes;
  return (problem === 'code' ? ownValue(forms, scalar) : undefined) ?? problems[problem];
}

/** The variables that an operation of a query declares, with what the schema says of them. */
export function useDeclarations(query: string, operationName: string | null | undefined): readonly Declaration[] {
  const schema = useGraphiQL((state) => state.schema);
  return useMemo(() => readDeclarations(query, operationName ?? null, schema ?? null), [query, operationName, schema]);
}
