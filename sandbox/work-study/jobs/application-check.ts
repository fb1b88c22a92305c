import type { Era } from '../../server/types.js';
import { BodyReader } from '../values/body-reader.js';
import { notEmail, notPhone } from '../values/contacts.js';
import type { Issue } from '../values/issues.js';

/** The parts of an application that the rest of the route needs; none is stored. */
export interface Application {
  readonly email: string;
  readonly recipientId: string;
  readonly attachmentName: string;
  readonly attachment: string;
}

const ATTACHMENT_LIMIT = 4_215_276;

/** Checks the body of an application (work-study 7.7). */
export function checkApplication(body: unknown, era: Era): { issues: readonly Issue[] } | { application: Application } {
  const reader = new BodyReader();
  const root = reader.root(body);
  const required = (name: string, rules: Omit<Parameters<typeof reader.text>[2], 'required'>): string =>
    reader.text(root, [name], { required: true, ...rules }) ?? '';
  required('applicant_first_name', { min: 1, max: 50 });
  required('applicant_last_name', { min: 1, max: 50 });
  required('applicant_phone', { check: (text) => notPhone(text, era) });
  reader.text(root, ['applicant_message'], { nullable: true });
  reader.texts(root, ['applicant_contract_duration'], { nullable: true });
  reader.texts(root, ['applicant_contract_start'], { nullable: true });
  reader.text(root, ['applicant_formation_description'], { nullable: true, max: 200 });
  reader.text(root, ['applicant_rythm_description'], { nullable: true, max: 200 });
  reader.boolean(root, ['applicant_inscription_formation'], { nullable: true });
  const application = {
    email: required('applicant_email', { check: notEmail }),
    recipientId: required('recipient_id', {}),
    attachmentName: required('applicant_attachment_name', { pattern: /((.*?))(\.)+([Dd][Oo][Cc][Xx]|[Pp][Dd][Ff])$/ }),
    attachment: required('applicant_attachment_content', { max: ATTACHMENT_LIMIT }),
  };
  return reader.issues.length > 0 ? { issues: reader.issues } : { application };
}

const PDF = 'data:application/pdf;base64,';
const DOCX = 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,';

/** Whether an attachment's content and data URL match its name (work-study 7.7). */
export function isSupportedFile({ attachmentName, attachment }: Application): boolean {
  const [prefix, start] = /\.pdf$/i.test(attachmentName) ? [PDF, '%PDF'] : [DOCX, 'PK'];
  if (!attachment.startsWith(prefix)) return false;
  const content = Buffer.from(attachment.slice(prefix.length, prefix.length + 64), 'base64').toString('latin1');
  return content.startsWith(start);
}
