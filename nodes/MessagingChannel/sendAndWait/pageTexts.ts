/**
 * The texts that whoever answers reads, besides the question, its answers and its fields. n8n stores those that the user
 * entered with the waiting execution, so their names must not change.
 */
export const DEFAULT_TEXTS = {
	confirmationTitle: 'Confirm your answer',
	thanksTitle: 'Thank you',
	thanksText: 'Your answer was received. You can close this page.',
	answeredText: 'You answered:',
	closedTitle: 'This question is closed',
	closedText: 'Someone has already answered, or the time to answer is over. You can close this page.',
	textFieldLabel: 'Response',
	checkFieldsText: 'Check the marked fields.',
	requiredText: 'Fill in this field.',
	oneAnswerText: 'Give only one answer.',
	choiceText: 'Choose from the list.',
	numberText: 'Enter a number.',
	emailText: 'Enter an email address, e.g. ada@example.com.',
	dateText: 'Enter a date, e.g. 2030-01-31.',
	attribution: 'Sent automatically with n8n',
	replyText: 'Reply {answers}.',
	orText: 'or',
	replyFreelyText: 'Reply in this chat.',
	codeText: 'If several questions are open, add {code}.',
	linkText: 'Or answer here',
	chatOnlyLinkText: 'About this question',
	messageButtonLabel: 'Respond',
	responseFormTitle: 'Your answer',
	responseFormDescription: '',
	responseFormButtonLabel: 'Submit',
	chatOnlyText: 'Please reply in the chat. This question cannot be answered on this page.',
};

/** Texts that were options of their own, which saved workflows hold. */
export const FORM_TEXTS = [
	'messageButtonLabel',
	'responseFormTitle',
	'responseFormDescription',
	'responseFormButtonLabel',
] as const;

export type FormText = (typeof FORM_TEXTS)[number];

/** One text for each purpose. */
export type PageTexts = Record<keyof typeof DEFAULT_TEXTS, string>;

/** What the user can enter for the pages of a question. */
export interface PageOptions {
	texts?: Partial<PageTexts>;
	/** The language of these texts, as a BCP 47 tag. */
	language?: string;
}

/** The texts of a question, with the defaults of those that were not entered; all defaults without a question. */
export function textsOf({ texts }: PageOptions = {}): PageTexts {
	return { ...DEFAULT_TEXTS, ...texts };
}
