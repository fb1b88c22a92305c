/** A button that submits no form. */
export function Button(props: React.ComponentProps<'button'>) {
  return <button type="button" {...props} />;
}
