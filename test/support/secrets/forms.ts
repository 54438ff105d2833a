/** One way to write a secret. */
export interface Form {
	/** Such as `base64`. */
	name: string;
	bytes: Buffer;
}

/** Every form in which a secret could turn up: as it is, and as what a program may have made of it. */
export function formsOf(secret: string): Form[] {
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
