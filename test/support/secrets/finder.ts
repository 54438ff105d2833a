import { formsOf, type Form } from './forms';

/** What a secret is for. */
export type SecretName = 'API key' | 'signing secret';

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
