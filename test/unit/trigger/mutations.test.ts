import fc from 'fast-check';

import { verify } from '../../../nodes/MessagingChannel/trigger/delivery/verify';
import { isSigned } from '../../../nodes/MessagingChannel/trigger/delivery/signature';
import { BODY, delivery, NOW, SECONDS, SECRET, sign } from './deliveries';

const bytes = Buffer.from(BODY);
const right = delivery();

/** Body and signature stay a pair only when neither is touched, so every change has to be refused. */
const mutatedBody = fc.oneof(
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
const mutatedSignature = fc.oneof(
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

const mutatedTimestamp = fc.oneof(
	fc
		.integer({ min: 0, max: 999_999_999_999 })
		.filter((time) => Math.abs(time - SECONDS) > 300)
		.map(String),
	fc.string({ maxLength: 20 }).filter((text) => !/^\d+$/.test(text)),
	fc.constantFrom(undefined, '', [String(SECONDS)], `${SECONDS} `, `${SECONDS},${SECONDS}`, `${SECONDS}e0`),
);

const mutated = fc.oneof(
	mutatedBody.filter((body) => !body.equals(bytes)).map((rawBody) => ({ ...right, rawBody })),
	mutatedSignature.map((value) => ({
		...right,
		headers: { ...right.headers, 'x-service-signature': value },
	})),
	mutatedTimestamp.map((value) => ({
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

test('none of 20,000 mutated deliveries is taken', () => {
	let tried = 0;
	fc.assert(
		fc.property(mutated, (changed) => {
			tried++;
			return !verify(changed, SECRET, NOW).verified;
		}),
		{ numRuns: 20_000, seed: 1 },
	);
	expect(tried).toBe(20_000);
	expect(verify(right, SECRET, NOW).verified).toBe(true);
});

/**
 * The time to refuse a signature that differs in its first digit against one that differs in its last. `timingSafeEqual`
 * compares all bytes; with a comparison that stops, of two texts of 64 digits, the difference is a few nanoseconds of
 * some microseconds, far below what this could show. So it is also checked that the code compares in no other way.
 */
test('the time to refuse does not depend on where the first difference is', () => {
	const wrongAt = (at: number) =>
		signature.slice(0, at) + (signature[at] === '0' ? '1' : '0') + signature.slice(at + 1);
	const time = (candidate: string) => {
		const started = process.hrtime.bigint();
		for (let times = 0; times < 200; times++) isSigned(bytes, candidate, SECRET);
		return Number(process.hrtime.bigint() - started) / 200;
	};
	const candidates = [0, 31, 63].map(wrongAt);
	// Whatever else the machine does only adds to a time, so that the shortest ones are the code's own.
	let shortest = candidates.map(() => Infinity);
	const ratio = () => Math.max(...shortest) / Math.min(...shortest);
	for (let round = 0; round < 300 || (ratio() >= 1.2 && round < 30_000); round++) {
		shortest = candidates.map((candidate, index) => Math.min(shortest[index] ?? 0, time(candidate)));
	}
	expect(ratio()).toBeLessThan(1.2);
});
