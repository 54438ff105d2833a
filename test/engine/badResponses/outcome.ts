import { inspect } from 'node:util';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { run, type Run } from '../../support/engine/run';
import { virtualClock } from '../../support/engine/clock';
import type { SampleOperation } from './sampleOperations';
import type { Respond, StubServer, ReceivedRequest } from '../../support/engine/stubServer';

/** What a response must come to. */
export type ExpectedOutcome =
	| { kind: 'success'; records?: IDataObject[] }
	| { kind: 'failed' | 'ambiguous'; httpStatus: number | null; code: string; requests: number };

let count = 0;

/** Runs an operation where every request gets the same response, and returns what is wrong with its outcome. */
export async function problemsWith(
	server: StubServer,
	sample: SampleOperation,
	respond: Respond,
	expected: ExpectedOutcome,
): Promise<string[]> {
	// What the process knows of an account's rate window is kept by its key.
	const apiKey = `never-to-be-seen-${++count}`;
	const { baseUrl, received } = server.stub(respond);
	const { output, error } = await run({ baseUrl, apiKey }, virtualClock(), {
		...sample.run,
		node: { onError: 'continueErrorOutput' },
	});
	const own = received.filter(({ method, path }) => method === sample.method && path === sample.path);
	const [first] = output;
	const kind = !first?.json.error ? 'success' : first.json.ambiguous === true ? 'ambiguous' : 'failed';
	const wrong = [
		...(error ? [`threw ${inspect(error)}`] : []),
		...(kind === expected.kind ? [] : [`is ${kind} instead of ${expected.kind}: ${shown(output)}`]),
		...(expected.kind === 'success'
			? wrongSuccess(output, own, expected.records)
			: wrongError(first, own, expected)),
		...leaks(output, apiKey),
		...received
			.filter(({ headers }) => headers.authorization !== `Bearer ${apiKey}`)
			.map(({ path }) => `${path} came without the key`),
	];
	return wrong.map((what) => `${sample.name} ${what}`);
}

function wrongSuccess(output: Run['output'], own: ReceivedRequest[], records?: IDataObject[]): string[] {
	// The node adds these to the records of a send.
	const [found, wanted] = [output.map(({ json }) => json), records ?? []].map((all) =>
		all.map((record) => omit(record, 'to', 'outcome')),
	);
	const isRight = !records || JSON.stringify(found) === JSON.stringify(wanted);
	return [
		...(isRight ? [] : [`put out ${shown(found)} instead of ${shown(records)}`]),
		...(own.length === 1 ? [] : [`made ${own.length} requests instead of 1`]),
	];
}

function wrongError(
	first: Run['output'][number] | undefined,
	own: ReceivedRequest[],
	{ httpStatus, code, requests }: Exclude<ExpectedOutcome, { kind: 'success' }>,
): string[] {
	const json: IDataObject = first?.json ?? {};
	const words = [json.error, json.description, first?.error?.message, first?.error?.description];
	return [
		...(json.httpStatus === httpStatus ? [] : [`has the status ${shown(json)} instead of ${httpStatus}`]),
		...(json.code === code ? [] : [`has the code ${shown(json)} instead of ${code}`]),
		...(own.length === requests ? [] : [`made ${own.length} requests instead of ${requests}`]),
		...words.filter((text) => !isForPeople(text)).map((text) => `says ${shown(text)}`),
	];
}

/** Whether words are those of ours: a sentence of readable length, and nothing of a machine in it. */
function isForPeople(text: unknown): boolean {
	return (
		typeof text === 'string' &&
		/^[A-Z']/.test(text) &&
		text.length >= 20 &&
		text.length <= 1000 &&
		!/undefined|\[object|\bNaN\b|\n\s+at |in JSON|Unexpected (token|end)|SyntaxError|call stack|<html/i.test(
			text,
		) &&
		// eslint-disable-next-line no-control-regex
		!/[\u0000-\u0008\u000b-\u001f]/.test(text)
	);
}

function leaks(output: Run['output'], apiKey: string): string[] {
	const seen = output.flatMap(({ json, error }) => [
		JSON.stringify(json),
		JSON.stringify(error ?? {}),
		error ? inspect(error, { depth: 4 }) : '',
	]);
	return seen.some((text) => text.includes(apiKey)) ? ['shows the API key'] : [];
}

function shown(value: unknown): string {
	return inspect(value, { depth: 4, breakLength: Infinity, maxStringLength: 300, maxArrayLength: 3 }).slice(
		0,
		600,
	);
}
