/** A small PDF, encoded as in applications. */
export const PDF = 'data:application/pdf;base64,JVBERi0xLjQK';

/** An application with everything that the documentation requires except a recipient. */
export const APPLICATION = {
  applicantFirstName: 'Jean',
  applicantLastName: 'Dupont',
  applicantEmail: 'jean.dupont@example.fr',
  applicantPhone: '0101010101',
  applicantAttachmentName: 'cv.pdf',
  applicantAttachmentContent: PDF,
};
