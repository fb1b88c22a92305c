/** A small PDF, as applications carry it. */
export const PDF = 'data:application/pdf;base64,JVBERi0xLjQK';

/** An application with all that the documents require, to nobody yet. */
export const APPLICATION = {
  applicantFirstName: 'Jean',
  applicantLastName: 'Dupont',
  applicantEmail: 'jean.dupont@example.fr',
  applicantPhone: '0101010101',
  applicantAttachmentName: 'cv.pdf',
  applicantAttachmentContent: PDF,
};
