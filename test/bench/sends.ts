/**
 * How long 1,000 messages take, beside what a user would pick instead: `npx tsx test/bench/sends.ts [messages] [runs]`.
 * The contestants take turns in one n8n, so that what else the machine does falls on all of them.
 */
import type { INode } from 'n8n-workflow';

import { startN8n, type N8n } from '../n8n/instance';
import { itemsNode, manualTrigger, messagingChannel, node, workflow } from '../n8n/workflow';
import { median } from './median';
import { startSink } from './sink';

const MESSAGES = Number(process.argv[2] ?? 1000);
const RUNS = Number(process.argv[3] ?? 5);
const LATENCIES_MS = [0, 20, 50];
const BASE_PATH = '/api/v1/whatsapp/external';

/** What runs, and how many requests it makes. */
interface Contestant {
	name: string;
	requests: number;
	step: INode;
}

function contestants(origin: string, credentialId: string): Contestant[] {
	const to = '={{ $json.phone }}';
	const message = '={{ $json.text }}';
	const httpRequest = (options: object): INode =>
		node(
			'Step',
			'n8n-nodes-base.httpRequest',
			{
				method: 'POST',
				url: `${origin}${BASE_PATH}/messages/send`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'messagingChannelApi',
				sendBody: true,
				specifyBody: 'keypair',
				bodyParameters: {
					parameters: [
						{ name: 'to', value: to },
						{ name: 'message', value: message },
					],
				},
				options: options as never,
			},
			{
				typeVersion: 4.2,
				credentials: { messagingChannelApi: { id: credentialId, name: 'Messaging Channel' } },
			},
		);
	return [
		{ name: 'a node that does nothing', requests: 0, step: node('Step', 'n8n-nodes-base.noOp') },
		{
			name: 'message:send',
			requests: MESSAGES,
			step: messagingChannel(
				'Step',
				{
					resource: 'message',
					operation: 'send',
					to: { __rl: true, mode: 'phone', value: to },
					message,
				},
				credentialId,
			),
		},
		{ name: 'HTTP Request', requests: MESSAGES, step: httpRequest({}) },
		{
			name: 'HTTP Request, batches of 50',
			requests: MESSAGES,
			step: httpRequest({ batching: { batch: { batchSize: 50, batchInterval: 0 } } }),
		},
	];
}

const items = Array.from({ length: MESSAGES }, (_, number) => ({
	phone: `9055${String(10_000_000 + number)}`,
	text: `Message ${number}`,
}));

async function timed({ api }: N8n, id: string): Promise<number> {
	const execution = await api.run(id, 'Start', 600_000);
	if (execution.status !== 'success') throw new Error(`${execution.status}: ${execution.error?.message}`);
	const [run] = execution.raw.resultData.runData.Step ?? [];
	return run?.executionTime ?? NaN;
}

async function main(): Promise<void> {
	const sink = await startSink();
	const n8n = await startN8n();
	try {
		const secrets = { baseUrl: sink.origin, apiKey: 'bench' };
		const { id: credentialId } = await n8n.api.createCredential(
			'messagingChannelApi',
			'Messaging Channel',
			secrets,
		);
		const all = await Promise.all(
			contestants(sink.origin, credentialId).map(async (contestant) => {
				const steps = [manualTrigger(), ...itemsNode(items), contestant.step];
				const { id } = await n8n.api.createWorkflow(workflow(contestant.name, steps));
				return { ...contestant, id };
			}),
		);
		for (const latency of LATENCIES_MS) {
			sink.setLatency(latency);
			const times = new Map<string, number[]>();
			for (let run = 0; run < RUNS; run++) {
				for (const { name, id, requests } of all) {
					sink.taken();
					times.set(name, [...(times.get(name) ?? []), await timed(n8n, id)]);
					if (sink.taken() !== requests) throw new Error(`${name} made another number of requests`);
				}
			}
			const reference = median(times.get('HTTP Request') ?? []);
			console.log(`\n${MESSAGES} messages at ${latency} ms, median of ${RUNS}`);
			for (const [name, measured] of times) {
				const time = median(measured);
				console.log(`  ${name.padEnd(28)} ${(time / 1000).toFixed(2)} s  ${(time / reference).toFixed(2)} ×`);
			}
		}
	} finally {
		await n8n.stop();
		await sink.stop();
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
