import fc from 'fast-check';

import { verify } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { BODY, delivery, NOW, SECONDS, SECRET, sign } from '../deliveries';

const bytes = Buffer.from(BODY);
const right = delivery();

/** Body and signature stay a pair only when neither is touched, so every change has to be refused. */
const changedBody = fc.oneof(
	fc
		.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }))
		.map(([at, change]) => Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ change : byte)))),
	fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
	fc.uint8Array({ minLength: 1, maxLength: 64 }).map((more) => Buffer.concat([bytes, more])),
	fc.uint8Array({ maxLength: 512 }).map((other) => Buffer.from(other)),
	fc
		.constantFrom(JSON.stringify(JSON.parse(BODY), null, 2), ` ${BODY}`, `\uFEFF${BODY}`)
		.map((text) => Buffer.from(text)),
);

const hex = fc
	.uint8Array({ minLength: 32, maxLength: 32 })
	.map((value) => Buffer.from(value).toString('hex'));
const signature = sign(BODY);
const changedSignature = fc.oneof(
	hex.filter((value) => value !== signature),
	fc.nat(63).map((length) => signature.slice(0, length)),
	fc.nat(63).chain((at) =>
		fc
			.constantFrom(...'0123456789abcdef')
			.filter((digit) => digit !== signature[at])
			.map((digit) => signature.slice(0, at) + digit + signature.slice(at + 1)),
	),
	fc.string({ maxLength: 80 }).filter((text) => text.toLowerCase() !== signature),
	fc.constantFrom(
		undefined,
		'',
		[signature, signature],
		[signature],
		`sha256=${signature}`,
		`${signature}\n`,
	),
	fc
		.string({ maxLength: 40 })
		.filter((key) => key !== SECRET)
		.map((key) => sign(BODY, key)),
);

const changedTimestamp = fc.oneof(
	fc
		.integer({ min: 0, max: 999_999_999_999 })
		.filter((time) => Math.abs(time - SECONDS) > 300)
		.map(String),
	fc.string({ maxLength: 20 }).filter((text) => !/^\d+$/.test(text)),
	fc.constantFrom(undefined, '', [String(SECONDS)], `${SECONDS} `, `${SECONDS},${SECONDS}`, `${SECONDS}e0`),
);

const changed = fc.oneof(
	changedBody.filter((body) => !body.equals(bytes)).map((rawBody) => ({ ...right, rawBody })),
	changedSignature.map((value) => ({
		...right,
		headers: { ...right.headers, 'x-service-signature': value },
	})),
	changedTimestamp.map((value) => ({
		...right,
		headers: { ...right.headers, 'x-service-timestamp': value },
	})),
	fc
		.constantFrom('x-service-signature', 'x-service-timestamp', 'x-service-event-id')
		.map((name) => ({ ...right, headers: { ...right.headers, [name]: undefined } })),
	fc
		.tuple(
			fc.constantFrom('x-service-signature', 'x-service-timestamp'),
			fc.string({ minLength: 1, maxLength: 10 }),
		)
		.filter(([, more]) => more.trim() !== '')
		.map(([name, more]) => ({
			...right,
			headers: { ...right.headers, [name]: `${String(right.headers[name])}${more}` },
		})),
);

test('none of 20,000 changed deliveries is accepted', () => {
	let tried = 0;
	fc.assert(
		fc.property(changed, (candidate) => {
			tried++;
			return !verify(candidate, SECRET, NOW).verified;
		}),
		{ numRuns: 20_000, seed: 1 },
	);
	expect(tried).toBe(20_000);
	expect(verify(right, SECRET, NOW).verified).toBe(true);
});
