/** What a secret is for. */
export type SecretName = 'API key' | 'signing secret';

/** One way to write a secret. */
interface Form {
	/** Such as `base64`. */
	name: string;
	bytes: Buffer;
}

/** A secret in some bytes. */
export interface Find {
	secret: SecretName;
	/** How it is written there. */
	form: string;
	/** What stands around it, with secrets masked. */
	surroundings: string;
}

/** Finds secrets in bytes. */
export interface Finder {
	/** Texts of fewer than eight characters are left out, as they can stand anywhere by chance. */
	add(secret: SecretName, text: string): void;
	/** The first place of each form of each secret. */
	find(bytes: Buffer): Find[];
	/** The length of the longest form. */
	longest(): number;
}

const SHORTEST = 8;
const AROUND = 60;
const WINDOW = 1_000;

/** A finder that knows no secret yet. */
export function createFinder(): Finder {
	const forms = new Map<string, Form & { secret: SecretName }>();
	/** A secret often stands there twice. */
	const masked = (bytes: Buffer) => {
		let text = bytes.toString('latin1');
		for (const [form, { secret }] of forms) text = text.replaceAll(form, `[${secret}]`);
		return printable(text);
	};
	return {
		add: (secret, text) => {
			if (text.length < SHORTEST) return;
			for (const form of formsOf(text)) forms.set(form.bytes.toString('latin1'), { ...form, secret });
		},
		find: (bytes) =>
			[...forms.values()].flatMap(({ secret, name, bytes: wanted }) => {
				const at = bytes.indexOf(wanted);
				if (at < 0) return [];
				const before = masked(bytes.subarray(Math.max(0, at - WINDOW), at)).slice(-AROUND);
				const after = masked(bytes.subarray(at + wanted.length).subarray(0, WINDOW)).slice(0, AROUND);
				return [{ secret, form: name, surroundings: `${before}[${secret}]${after}` }];
			}),
		longest: () => Math.max(0, ...[...forms.values()].map(({ bytes }) => bytes.length)),
	};
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]+/g, '·');

/** Every form in which a secret could turn up: as it is, and as what a program may have made of it. */
function formsOf(secret: string): Form[] {
	const inJson = JSON.stringify(secret).slice(1, -1);
	const forms: Array<[name: string, text: string]> = [
		['plain text', secret],
		['JSON', inJson],
		// n8n keeps an item's JSON inside JSON where a text holds it.
		['JSON in JSON', JSON.stringify(inJson).slice(1, -1)],
		['URL', encodeURIComponent(secret)],
		['URL of a form', String(new URLSearchParams({ '': secret })).slice(1)],
		['hexadecimal', Buffer.from(secret).toString('hex')],
		['hexadecimal', Buffer.from(secret).toString('hex').toUpperCase()],
		...inBase64(secret).flatMap((text): Array<[string, string]> => [
			['base64', text],
			['base64', text.replaceAll('+', '-').replaceAll('/', '_')],
		]),
	];
	const distinct = new Map(forms.reverse().map(([name, text]) => [text, { name, bytes: Buffer.from(text) }]));
	return [...distinct.values(), { name: 'UTF-16', bytes: Buffer.from(secret, 'utf16le') }];
}

/** The parts of it that are the same whatever stands before and after, for each place in a group of three bytes. */
const inBase64 = (secret: string): string[] =>
	[0, 1, 2].map((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
		return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
	});
