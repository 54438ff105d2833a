import type { ProbeResult } from '../../../../nodes/MessagingChannel/trigger/account/decisions';
import { probe } from '../../../../nodes/MessagingChannel/trigger/activation/probe';
import { RESPONSE_HEADER } from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';

const BASE = 'https://n8n.example.com/webhook/';
const HUB = `${BASE}1/webhook`;
const JOINING = `${BASE}2/webhook`;

const notRegistered = (path: string) => `The requested webhook "POST ${path}" is not registered.`;

/** Asks a hub that responds with these statuses in turn, the last one as a trigger if it says something. */
async function probed(statuses: number[], body?: object, isTrigger = true, hub = HUB) {
	const pauses: number[] = [];
	let requests = 0;
	const request = async () => {
		const statusCode = statuses[requests++] ?? 0;
		const isFromTrigger = isTrigger && body !== undefined && requests === statuses.length;
		return await Promise.resolve({
			statusCode,
			headers: isFromTrigger ? { [RESPONSE_HEADER]: '1' } : {},
			body,
		});
	};
	const sleep = async (ms: number) => {
		pauses.push(ms);
		await Promise.resolve();
	};
	const result = await probe(hub, JOINING, { request, secret: 'secret', now: Date.now, sleep });
	return { result, requests, pauses };
}

test.each<[number, ProbeResult]>([
	[200, 'noTrigger'],
	[403, 'noTrigger'],
	[499, 'noTrigger'],
	[500, 'noResponse'],
	[503, 'noResponse'],
])('what responds %i in the place of a trigger: %s', async (status, result) => {
	expect(await probed([status])).toEqual({ result, requests: 1, pauses: [] });
});

test('a hub whose URL n8n takes away for a moment is asked again', async () => {
	const body = { reached: true, isProven: true };
	expect(await probed([404, 404, 404, 200], body)).toEqual({
		result: 'reached',
		requests: 4,
		pauses: [1_000, 1_000, 1_000],
	});
});

test.each<[string, object | undefined, ProbeResult, hub?: string]>([
	['nothing', undefined, 'absent'],
	['that another path is not registered', { message: notRegistered('2/webhook') }, 'absent'],
	['that there is no such page', { message: 'Cannot POST /webhook/1/webhook' }, 'absent'],
	['what n8n says of a path that no workflow has', { message: notRegistered('1/webhook') }, 'dead'],
	['the same of only its last part', { message: notRegistered('webhook') }, 'absent'],
	['the same of the end of a part', { message: notRegistered('2/webhook') }, 'absent', `${BASE}12/webhook`],
	[
		'the same of a path with names',
		{ message: notRegistered('1/a b/webhook') },
		'dead',
		`${BASE}1/a%20b/webhook`,
	],
	['the same, encoded', { message: notRegistered('1/a%20b/webhook') }, 'dead', `${BASE}1/a%20b/webhook`],
	[
		'the same of another path with names',
		{ message: notRegistered('2/%/webhook') },
		'absent',
		`${BASE}1/%/webhook`,
	],
	[
		'that its workflow is not published',
		{ message: 'Active version not found for workflow with id "1"' },
		'dead',
	],
	['that its workflow was deleted', { message: 'Could not find workflow with id "1"' }, 'dead'],
	['that the trigger polls', { error: 'not_listening' }, 'dead'],
])('a hub that is absent four times in a row, and then says %s', async (_, body, result, hub = HUB) => {
	expect(await probed([404, 404, 404, 404], body, false, hub)).toMatchObject({ result, requests: 4 });
});
