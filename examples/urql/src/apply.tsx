import type { FormEvent } from 'react';
import { useMutation } from 'urql';
import { applicationIn } from '../../shared/application.js';
import { explainAll } from '../../shared/errors.js';
import { ApplyDocument } from './__generated__/graphql.js';

/** A form that applies for an offer. It is sent once: a repetition would be another application. */
export function Apply({ recipientId }: { readonly recipientId: string }) {
  const [{ data, error, fetching }, apply] = useMutation(ApplyDocument);
  // Not the form's `action`, after which React would empty the fields, though they may have to be corrected.
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await apply({ input: await applicationIn(new FormData(event.currentTarget), recipientId) }, { url: '/write' });
  };
  if (data?.applyToJob?.id != null) return <output>Sent as {data.applyToJob.id}</output>;
  return (
    <form aria-label="Apply" onSubmit={submit}>
      {explainAll(error?.graphQLErrors ?? []).map((text) => (
        <p role="alert" key={text}>
          {text}
        </p>
      ))}
      <input name="firstName" placeholder="First name" required />
      <input name="lastName" placeholder="Last name" required />
      <input name="email" type="email" placeholder="E-mail" required />
      <input name="phone" placeholder="Telephone" required />
      <input name="file" type="file" accept=".pdf,.docx" required />
      <button type="submit" disabled={fetching}>
        Apply
      </button>
    </form>
  );
}
