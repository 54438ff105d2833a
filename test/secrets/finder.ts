import { formsOf, type Form } from './forms';

/** What a secret is for. */
export type SecretName = 'API key' | 'signing secret';

/** A secret in some bytes. */
export interface Find {
	secret: SecretName;
	/** How it is written there. */
	form: string;
	/** What stands around it, with the secret masked. */
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

/** A finder that knows no secret yet. */
export function createFinder(): Finder {
	const forms = new Map<string, Form & { secret: SecretName }>();
	return {
		add: (secret, text) => {
			if (text.length < SHORTEST) return;
			for (const form of formsOf(text)) forms.set(form.bytes.toString('latin1'), { ...form, secret });
		},
		find: (bytes) =>
			[...forms.values()].flatMap(({ secret, name, bytes: wanted }) => {
				const at = bytes.indexOf(wanted);
				return at < 0 ? [] : [{ secret, form: name, surroundings: around(bytes, at, wanted.length, secret) }];
			}),
		longest: () => Math.max(0, ...[...forms.values()].map(({ bytes }) => bytes.length)),
	};
}

function around(bytes: Buffer, at: number, length: number, secret: SecretName): string {
	const before = bytes.subarray(Math.max(0, at - AROUND), at);
	const after = bytes.subarray(at + length, at + length + AROUND);
	return `${printable(before)}[${secret}]${printable(after)}`;
}

const printable = (bytes: Buffer) => bytes.toString('latin1').replace(/[^\x20-\x7e]+/g, '·');
