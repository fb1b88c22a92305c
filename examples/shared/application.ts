/** The input of an application, from a form with these fields. */
export async function applicationIn(form: FormData, recipientId: string) {
  const text = (name: string) => String(form.get(name) ?? '');
  const file = form.get('file');
  if (!(file instanceof File)) throw new Error('The form has no file.');
  return {
    applicantFirstName: text('firstName'),
    applicantLastName: text('lastName'),
    applicantEmail: text('email'),
    applicantPhone: text('phone'),
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
