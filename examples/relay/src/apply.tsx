import { type FormEvent, useState } from 'react';
import { graphql, useMutation } from 'react-relay';
import { ApplicationFields, applicationIn } from '../../shared/application.js';
import type { GatewayError } from '../../shared/errors.js';
import type { applyMutation } from './__generated__/applyMutation.graphql.js';

/** A form that applies for an offer. It is sent once: a repetition would be another application. */
export function Apply({ recipientId }: { readonly recipientId: string }) {
  const [apply, isSending] = useMutation<applyMutation>(graphql`
    mutation applyMutation($input: ApplicationInput!) {
      applyToJob(input: $input) {
        id
        userErrors {
          message
          field
        }
      }
    }
  `);
  const [answer, setAnswer] = useState<applyMutation['response']['applyToJob']>();
  const [errors, setErrors] = useState<readonly GatewayError[]>([]);
  // Not the form's `action`, after which React would empty the fields, though they may have to be corrected.
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply({
      variables: { input: await applicationIn(new FormData(event.currentTarget), recipientId) },
      onCompleted: ({ applyToJob }, errors) => {
        setAnswer(applyToJob);
        setErrors(errors ?? []);
      },
      onError: (error) => setErrors([error]),
    });
  };
  if (answer?.id != null) return <output>Sent as {answer.id}</output>;
  return (
    <form aria-label="Apply" onSubmit={submit}>
      <ApplicationFields errors={errors} userErrors={answer?.userErrors} />
      <button type="submit" disabled={isSending}>
        Apply
      </button>
    </form>
  );
}
