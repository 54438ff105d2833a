import omit from 'lodash/omit';
import type { INodeProperties } from 'n8n-workflow';

import { InvalidInput, shown } from '../../operation/input';
import type { Field } from '../../operation/operation';
import { DEFAULT_TEXTS, FORM_TEXTS, type FormText, type PageTexts } from '../../sendAndWait/pageTexts';

/** A text for all questions, or only for those with these types of response. */
function text(
	name: keyof PageTexts,
	displayName: string,
	description: string,
	responseTypes?: string[],
	example: string = DEFAULT_TEXTS[name],
): INodeProperties {
	const preset = DEFAULT_TEXTS[name];
	return {
		displayName,
		name,
		type: 'string',
		default: preset,
		placeholder: `e.g. ${example}`,
		description,
		...(responseTypes ? { displayOptions: { show: { '/responseType': responseTypes } } } : {}),
	};
}

const APPROVAL = ['approval'];
const FORM = ['customForm', 'freeText'];
const CUSTOM_FORM = ['customForm'];

const TEXTS: INodeProperties[] = [
	text('answeredText', 'Answered', 'Before the chosen button, on the page after an answer', APPROVAL),
	text('attribution', 'Attribution', "Last line of the message, if 'Append n8n Attribution' is on"),
	text('chatOnlyText', 'Chat Only', 'On the page of a question that can be answered only in the chat'),
	text(
		'chatOnlyLinkText',
		'Chat Only Link',
		'In front of the link in the message and on its page, if only some members of a group may answer',
	),
	text('checkFieldsText', 'Check Fields', 'Above a form with a value that is missing or wrong', FORM),
	text('closedText', 'Closed', 'On the page of a question that can no longer be answered'),
	text('closedTitle', 'Closed Title', 'Title of the page of a question that can no longer be answered'),
	text(
		'codeText',
		'Code Word',
		'How to answer one of several questions in the chat; {code} stands for its code word',
	),
	text('confirmationTitle', 'Confirmation Title', 'Title of the page with the approval button', APPROVAL),
	text(
		'choiceText',
		'Invalid Choice',
		'Below a field with a value that is not one of its options',
		CUSTOM_FORM,
	),
	text('dateText', 'Invalid Date', 'Below a date field without a valid date', CUSTOM_FORM),
	text('emailText', 'Invalid Email', 'Below an email field without a valid email address', CUSTOM_FORM),
	text('numberText', 'Invalid Number', 'Below a number field without a valid number', CUSTOM_FORM),
	text(
		'linkText',
		'Link',
		'In front of the link to the page with the approval buttons, if the answer can be written in the chat',
		APPROVAL,
	),
	text('messageButtonLabel', 'Message Button Label', 'Before the link in the message', FORM),
	text('orText', 'Or', 'Between the last two answers to choose from in the chat'),
	text('replyText', 'Reply', 'How to answer in the chat; {answers} stands for the answers to choose from'),
	text(
		'replyFreelyText',
		'Reply Freely',
		'How to answer in the chat, if there are no answers to choose from',
		FORM,
	),
	text('responseFormButtonLabel', 'Response Form Button Label', 'On the button that submits the form', FORM),
	text(
		'responseFormDescription',
		'Response Form Description',
		'Above the form instead of the message',
		FORM,
		'Where should we deliver your order?',
	),
	text('responseFormTitle', 'Response Form Title', 'Title of the page with the form', FORM),
	text('oneAnswerText', 'Several Answers', 'Below a field with more than one value', FORM),
	text('textFieldLabel', 'Text Field Label', 'Label of the text field', ['freeText']),
	text('thanksText', 'Thank You', 'On the page after an answer'),
	text('thanksTitle', 'Thank You Title', 'Title of the page after an answer'),
	text('requiredText', 'Value Missing', 'Below a required field without a value', FORM),
];

/** The options that some of these texts were before. */
export const formerOptions: Field[] = TEXTS.filter(({ name }) => FORM_TEXTS.includes(name as FormText)).map(
	(field) => ({ ...omit(field, 'displayOptions'), isHidden: true, api: [] }),
);

/** The texts that whoever answers reads. */
export const texts: Field = {
	displayName: 'Texts',
	name: 'texts',
	type: 'fixedCollection',
	placeholder: 'Add Texts',
	default: {},
	description: 'What to show to the person who answers, in the language of that person',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: TEXTS,
		},
	],
	api: [],
};

/** The language of the pages. */
export const pageLanguage: Field = {
	displayName: 'Page Language',
	name: 'pageLanguage',
	type: 'string',
	default: 'en',
	placeholder: 'e.g. tr',
	description:
		"Code of the language in which you wrote the texts, for screen readers and browsers. It does not translate them; enter them under 'Texts'.",
	api: [],
	toApi: (entered: string) => {
		try {
			const [tag] = Intl.getCanonicalLocales(entered.trim());
			return { pageLanguage: tag };
		} catch {
			// It is no BCP 47 tag.
		}
		throw new InvalidInput(
			`is not a valid language code: ${shown(entered)}`,
			'Enter a code such as en, tr or pt-BR.',
		);
	},
};
