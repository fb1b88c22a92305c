import { explainAll, type GatewayError, mistakesIn } from './errors.js';

/** What the form asks for: an input, and the members of `ApplicationInput` that follow from it. */
const FIELDS = [
  { label: 'First name', input: {}, members: ['applicantFirstName'] },
  { label: 'Last name', input: {}, members: ['applicantLastName'] },
  { label: 'E-mail', input: { type: 'email' }, members: ['applicantEmail'] },
  { label: 'Telephone', input: { type: 'tel' }, members: ['applicantPhone'] },
  {
    label: 'Curriculum vitae',
    input: { type: 'file', accept: '.pdf,.docx' },
    members: ['applicantAttachmentContent', 'applicantAttachmentName'],
  },
] as const;

interface Refused {
  readonly errors: readonly GatewayError[];
  /** `userErrors` of the mutation. */
  readonly userErrors: readonly { readonly message: string; readonly field: readonly string[] }[] | undefined;
}

/** The fields of an application, those that were refused marked, and above them what belongs to no field. */
export function ApplicationFields({ errors: others, userErrors = [] }: Refused) {
  const errors = [...userErrors.map(({ message, field }) => ({ message, extensions: { argument: field } })), ...others];
  const fields = FIELDS.map(({ members, ...field }) => {
    const mistakes = members.flatMap((member) => mistakesIn(errors, 'input', member));
    return { ...field, name: members[0], mistakes };
  });
  const unplaced = errors.filter((error) => fields.every(({ mistakes }) => !mistakes.includes(error)));
  return (
    <>
      <Texts of={unplaced} />
      {fields.map(({ name, label, input, mistakes }) => (
        <p key={name}>
          <label>
            {label} <input name={name} {...input} required aria-invalid={mistakes.length > 0} />
          </label>
          <Texts of={mistakes} />
        </p>
      ))}
    </>
  );
}

function Texts({ of }: { readonly of: readonly GatewayError[] }) {
  return explainAll(of).map((text) => (
    <span role="alert" key={text}>
      {text}
    </span>
  ));
}

/** The input of an application, from a form with these fields. */
export async function applicationIn(form: FormData, recipientId: string) {
  const text = (name: string) => String(form.get(name) ?? '');
  const file = form.get('applicantAttachmentContent');
  if (!(file instanceof File)) throw new Error('The form has no file.');
  return {
    applicantFirstName: text('applicantFirstName'),
    applicantLastName: text('applicantLastName'),
    applicantEmail: text('applicantEmail'),
    applicantPhone: text('applicantPhone'),
    applicantAttachmentName: file.name,
    applicantAttachmentContent: await asDataUrl(file),
    recipientId,
  };
}

function asDataUrl(file: File): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
