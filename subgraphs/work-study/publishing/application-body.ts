import { badUserInput, checkLength } from '../../graph/arguments.js';
import type { ApplicationInput } from '../__generated__/resolvers.js';
import type { Body } from './client.js';
import { checkEmail, checkPhone } from './contact-checks.js';

/** Longest content of an attachment, in characters of its data URL (work-study 7.7). */
const MAX_CONTENT_LENGTH = 4_215_276;

/** Prefix of a data URL, by the file name's extension (work-study 7.7). */
const DATA_URL_PREFIXES: Readonly<Record<string, string>> = {
  pdf: 'data:application/pdf;base64,',
  docx: 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,',
};

/**
 * An application in the source's format, checked as far as its rules are documented (work-study 7.7), because a refused
 * one would send megabytes for nothing. Throws `BAD_USER_INPUT`, which names the argument and never repeats its value.
 */
export function applicationBody(input: ApplicationInput): Body {
  checkLength('input.applicantFirstName', input.applicantFirstName, { min: 1, max: 50 });
  checkLength('input.applicantLastName', input.applicantLastName, { min: 1, max: 50 });
  checkEmail('input.applicantEmail', input.applicantEmail);
  checkPhone('input.applicantPhone', input.applicantPhone);
  checkAttachment(input.applicantAttachmentName, input.applicantAttachmentContent);
  checkLength('input.recipientId', input.recipientId, { min: 1 });
  return {
    applicant_first_name: input.applicantFirstName,
    applicant_last_name: input.applicantLastName,
    applicant_email: input.applicantEmail,
    applicant_phone: input.applicantPhone,
    applicant_attachment_name: input.applicantAttachmentName,
    applicant_attachment_content: input.applicantAttachmentContent,
    applicant_message: input.applicantMessage,
    recipient_id: input.recipientId,
  };
}

function checkAttachment(name: string, content: string): void {
  const [, extension = ''] = /\.(pdf|docx)$/i.exec(name) ?? [];
  const prefix = DATA_URL_PREFIXES[extension.toLowerCase()];
  if (prefix === undefined) throw badUserInput('input.applicantAttachmentName', 'must end with .pdf or .docx');
  checkLength('input.applicantAttachmentContent', content, { max: MAX_CONTENT_LENGTH });
  if (!content.startsWith(prefix)) {
    throw badUserInput('input.applicantAttachmentContent', `must begin with ${prefix} for a file of that name`);
  }
}
