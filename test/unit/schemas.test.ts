import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';

import { resources } from '../../nodes/MessagingChannel/actions';
import type { Operation } from '../../nodes/MessagingChannel/operation/operation';
import { operations } from '../support/operations';
import type { OperationCases } from '../support/operations/case';
import { startService, type Service } from '../support/service/service';
import { recordsFromService } from './schemas/answers';
import { fieldsIn, fieldsShown, strict, type OutputSchema } from './schemas/shapes';

const folder = join(__dirname, '../../nodes/MessagingChannel/__schema__');

const read = (file: string): OutputSchema =>
	JSON.parse(readFileSync(join(folder, file), 'utf8')) as OutputSchema;

const ajv = new Ajv();

const fitsIn = (schema: OutputSchema) => ajv.compile(strict(schema));

/** Every operation with its cases. */
function everyOperation(): Array<[string, Operation, OperationCases]> {
	return resources.flatMap((resource) =>
		resource.operations.flatMap((operation) =>
			operations
				.filter((cases) => cases.resource === resource.value && cases.operation === operation.value)
				.map((cases): [string, Operation, OperationCases] => [
					`${resource.value}/${operation.value}`,
					operation,
					withMedia(cases),
				]),
		),
	);
}

/** Chats with a message that carries a file, of which messages have fields more. */
function withMedia(cases: OperationCases): OperationCases {
	const { messages = [] } = cases.seed ?? {};
	const media = { mimetype: 'image/jpeg', filename: 'photo.jpg', bytes: 4 };
	const more = messages.map(({ chatId, timestamp }) => ({ chatId, timestamp, body: 'Look', media }));
	return cases.operation === 'getMessages'
		? { ...cases, seed: { ...cases.seed, messages: [...messages, ...more] } }
		: cases;
}

test.each(
	resources.flatMap(({ value, operations: own }) => own.map((operation) => `${value}/${operation.value}`)),
)('%s has fields to show, without which the editor drops its schema', (id) => {
	expect(fieldsShown(read(`v1.0.0/${id}.json`)).length).toBeGreaterThan(0);
});

describe('what the service answers', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	afterAll(async () => {
		await service.stop();
	});

	test.each(everyOperation())('to %s is what its schema shows', async (id, operation, cases) => {
		const schema = read(`v1.0.0/${id}.json`);
		const records = await recordsFromService(service, operation, cases);

		const fits = fitsIn(schema);
		for (const record of records) expect(fits(record) || { record, errors: fits.errors }).toBe(true);
		const seen = new Set(records.flatMap(fieldsIn));
		expect(fieldsShown(schema).filter((field) => !seen.has(field))).toEqual([]);
	});

	test('every case was asked', () => {
		expect(everyOperation()).toHaveLength(operations.length);
	});

	test.each([
		[
			'a field that the schema does not show',
			{ queued: true, job_id: 'job-1', to: '905551234567@c.us', at: 1 },
		],
		['a field of another type', { queued: 'yes' }],
		['null where the schema knows none', { to: null }],
	])('%s would be noticed', (_, record) => {
		expect(fitsIn(read('v1.0.0/message/send.json'))(record)).toBe(false);
	});
});
