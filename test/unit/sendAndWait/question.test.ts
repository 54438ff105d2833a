// cspell:ignore Cevabınız Kısaca yazın Gönder Cevap Cevapla Yanıtla Teşekkürler
import { sendAndWait } from '../../../nodes/MessagingChannel/actions/message/sendAndWait';
import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';
import { readInput } from '../../../nodes/MessagingChannel/operation/readInput';
import { questionOf } from '../../../nodes/MessagingChannel/sendAndWait/question';
import { DEFAULT_TEXTS, textsOf } from '../../../nodes/MessagingChannel/sendAndWait/pageTexts';
import { located } from '../entered';

const questionFor = (entered: Record<string, unknown>) => {
	const all: Record<string, unknown> = {
		to: located('phone', '905551234567'),
		message: 'Ship it?',
		...entered,
	};
	return questionOf(
		readInput(sendAndWait, {
			read: (name, fallback) => (name in all ? all[name] : fallback),
			timezone: 'Europe/Istanbul',
			file: () => {
				throw new InvalidInput('has no file', 'None here.');
			},
		}),
	);
};

const values = (entered: object | object[]) => ({ values: entered });

test('an approval has one answer unless told otherwise', () => {
	expect(questionFor({})).toEqual({
		message: 'Ship it?',
		reply: { type: 'approval', approve: 'Approve' },
		isAttributed: false,
	});
});

test('an empty label falls back to the default', () => {
	const reply = (labels: object) =>
		questionFor({ approvalOptions: values({ approvalType: 'double', ...labels }) }).reply;
	const approval = { type: 'approval', approve: 'Approve', decline: 'Decline' };
	expect(reply({ approveLabel: ' ', disapproveLabel: 'No' })).toEqual({ ...approval, decline: 'No' });
	expect(reply({ approveLabel: 'Yes', disapproveLabel: ' ' })).toEqual({ ...approval, approve: 'Yes' });
});

test('free text is a form with one field', () => {
	expect(questionFor({ responseType: 'freeText' }).reply).toEqual({
		type: 'freeText',
		fields: [{ label: 'Response', type: 'textarea', isRequired: true, choices: [] }],
		link: 'Respond',
		title: 'Your answer',
		description: '',
		button: 'Submit',
	});
});

test('a form has the texts of its page, and the text field another label', () => {
	const texts = {
		messageButtonLabel: 'Cevapla',
		responseFormTitle: 'Cevabınız',
		responseFormDescription: 'Kısaca yazın.',
		responseFormButtonLabel: 'Gönder',
	};
	const replyFor = (options: object) => questionFor({ responseType: 'freeText', options }).reply;
	const expected = {
		fields: [{ label: 'Cevap' }],
		link: 'Cevapla',
		title: 'Cevabınız',
		description: 'Kısaca yazın.',
		button: 'Gönder',
	};
	expect(replyFor({ texts: values({ ...texts, textFieldLabel: 'Cevap' }) })).toMatchObject(expected);
	// Workflows can hold them as options of their own.
	expect(replyFor({ ...texts, texts: values({ textFieldLabel: 'Cevap' }) })).toMatchObject(expected);
	const both = { ...texts, messageButtonLabel: 'Yanıtla' };
	expect(replyFor({ ...both, texts: values({ messageButtonLabel: 'Cevapla' }) })).toMatchObject({
		link: 'Cevapla',
	});
});

test('a custom form has its fields, with defaults for empty inputs', () => {
	const formFields = values([
		{ fieldLabel: 'Name', requiredField: true },
		{ fieldLabel: 'Size', fieldType: 'radio', fieldOptions: values([{ option: 'S' }, { option: 'L' }]) },
	]);
	expect(questionFor({ responseType: 'customForm', formFields }).reply).toMatchObject({
		type: 'customForm',
		fields: [
			{ label: 'Name', type: 'text', isRequired: true },
			{ label: 'Size', type: 'radio', isRequired: false, choices: ['S', 'L'] },
		],
	});
});

test('options apply, and a date without a zone is in the zone of the workflow', () => {
	const options = {
		appendAttribution: true,
		limitWaitTime: values({ limitType: 'atSpecifiedTime', maxDateAndTime: '2030-01-31T12:00:00' }),
		messageButtonLabel: 'Answer',
	};
	expect(questionFor({ responseType: 'freeText', options })).toMatchObject({
		isAttributed: true,
		limit: { limitType: 'atSpecifiedTime', maxDateAndTime: '2030-01-31T09:00:00.000Z' },
		reply: { link: 'Answer' },
	});
	expect(questionFor({ options: { limitWaitTime: values({}) } }).limit).toEqual({
		limitType: 'afterTimeInterval',
		resumeAmount: 1,
		resumeUnit: 'hours',
	});
});

test('texts that are left empty have their defaults, and a language its usual spelling', () => {
	const options = {
		texts: values({ thanksTitle: 'Teşekkürler', closedTitle: ' ' }),
		pageLanguage: ' TR-tr ',
	};
	const question = questionFor({ options });
	expect(question.language).toBe('tr-TR');
	expect(textsOf(question)).toEqual({ ...DEFAULT_TEXTS, thanksTitle: 'Teşekkürler' });
	expect(questionFor({ options: { texts: {}, pageLanguage: '' } })).toEqual(questionFor({}));
});

test.each<[Record<string, unknown>, string]>([
	[{ message: ' ' }, "'Message' is empty"],
	[{ responseType: 'poll' }, "'Response Type' is not one of the options: 'poll'"],
	[{ responseType: 'customForm' }, "'Form Fields' is empty"],
	[{ responseType: 'customForm', formFields: values([{ fieldLabel: '' }]) }, "'Label' is empty"],
	[
		{ responseType: 'customForm', formFields: values([{ fieldLabel: 'X', fieldType: 'file' }]) },
		"'Element Type' is not one of the options: 'file'",
	],
	// n8n leaves this of a limit without its `values`, too.
	[{ options: { limitWaitTime: {} } }, "'Limit Wait Time' is empty"],
	[{ options: { limitWaitTime: values({ limitType: 'atSpecifiedTime' }) } }, "'Max Date and Time' is empty"],
	[{ options: { limitWaitTime: values({ resumeAmount: -1 }) } }, "'Amount' is too small: -1"],
	[{ options: { limitWaitTime: values({ resumeUnit: 'years' }) } }, "'Unit' is not one of the options"],
])('%j is refused', (entered, problem) => {
	expect(() => questionFor(entered)).toThrow(problem);
});

test('a language that is none is refused, with some that are', () => {
	expect(() => questionFor({ options: { pageLanguage: 'Turkish!' } })).toThrow(
		expect.objectContaining({
			message: "'Page Language' is not a valid language code: 'Turkish!'",
			description: 'Enter a code such as en, tr or pt-BR.',
		}),
	);
});
