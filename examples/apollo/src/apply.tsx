import { useMutation } from '@apollo/client/react';
import type { FormEvent } from 'react';
import { ApplicationFields, applicationIn } from '../../shared/application.js';
import { ApplyDocument } from './__generated__/graphql.js';
import { errorsOf } from './client.js';

/** A form that applies for an offer. It is sent once: a repetition would be another application. */
export function Apply({ recipientId }: { readonly recipientId: string }) {
  const [apply, { data, error, loading }] = useMutation(ApplyDocument);
  // Not the form's `action`, after which React would empty the fields, though they may have to be corrected.
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await apply({ variables: { input: await applicationIn(new FormData(event.currentTarget), recipientId) } });
  };
  if (data?.applyToJob?.id != null) return <output>Sent as {data.applyToJob.id}</output>;
  return (
    <form aria-label="Apply" onSubmit={submit}>
      <ApplicationFields errors={errorsOf(error)} userErrors={data?.applyToJob?.userErrors} />
      <button type="submit" disabled={loading}>
        Apply
      </button>
    </form>
  );
}
