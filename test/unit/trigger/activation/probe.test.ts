import { probe, type ProbeResult } from '../../../../nodes/MessagingChannel/trigger/activation/probe';
import { RESPONSE_HEADER } from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';

const HUB = 'https://n8n.example.com/webhook/1/webhook';
const JOINING = 'https://n8n.example.com/webhook/2/webhook';

/** Asks a hub that responds with these statuses in turn, the last one as a trigger if it says something. */
async function probed(statuses: number[], body?: object) {
	const pauses: number[] = [];
	let requests = 0;
	const request = async () => {
		const statusCode = statuses[requests++] ?? 0;
		const isFromTrigger = body !== undefined && requests === statuses.length;
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
	const result = await probe(HUB, JOINING, { request, secret: 'secret', now: Date.now, sleep });
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

test('a hub that is absent four times in a row is gone', async () => {
	expect(await probed([404, 404, 404, 404])).toMatchObject({ result: 'absent', requests: 4 });
});
