import { messageBody } from '../../support/world/triggerWorld';
import { startService } from '../../support/service/service';
import { ourHeaders, type Delivery } from '../support/deliveries';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { ourTrigger, webhookNode } from '../support/triggers';
import { startBenchWorld, type BenchWorld } from '../support/world';
import { deliverAll, eventsPerSecond } from './events';

const IN_FLIGHT = 10;
const WEBHOOK = 'Webhook node, which starts an execution';

/** How n8n evaluates expressions, and how many times as fast as the Webhook node a delivery is wanted to be. */
const ENGINES: Array<[name: string, env: Record<string, string>, atLeast: number]> = [
	['vm', { N8N_EXPRESSION_ENGINE: 'vm' }, 0.9],
	['lazy', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, 5],
	['legacy', { N8N_EXPRESSION_ENGINE: 'legacy' }, 0.9],
];

/** What the trigger drops, and how it answers. */
interface Kind {
	status: number;
	next: () => Delivery;
}

async function kinds(world: BenchWorld, service: Awaited<ReturnType<typeof startService>>) {
	// Messages of persons are left out, so that a delivery can be right in all but that.
	const { url, secret } = await ourTrigger(world, service, { chatType: 'group' });
	let count = 0;
	const signed = (body: string, eventId = `dropped-${++count}`) => ({
		url,
		body,
		headers: ourHeaders(body, secret, eventId),
	});
	const ofGroup = messageBody({}, { chat: { id: '1203@g.us', name: 'Group', phone: null, type: 'group' } });
	const known = () => signed(ofGroup, 'dropped-known');
	await deliverAll([known], 1, 200);
	return new Map<string, Kind>([
		['forged', { status: 401, next: () => ({ ...signed(messageBody()), body: messageBody() }) }],
		['stale', { status: 401, next: () => withHeader(signed(messageBody()), 'X-Service-Timestamp', '1000') }],
		['delivered again', { status: 200, next: known }],
		['filtered out', { status: 200, next: () => signed(messageBody()) }],
	]);
}

const withHeader = (delivery: Delivery, name: string, value: string): Delivery => ({
	...delivery,
	headers: { ...delivery.headers, [name]: value },
});

/** What a delivery costs that starts nothing. */
export const dropped: Suite = {
	name: 'dropped',
	title: 'Deliveries that start nothing',
	how: "Ten at a time, until they are answered. n8n prepares an expression engine for each delivery to any trigger but its own Webhook node before the trigger's code runs; with N8N_EXPRESSION_ENGINE=legacy that costs nothing, and with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true only where an expression is evaluated; all are shown. A trigger that does nothing is the floor.",
	async run({ isTiny, rounds }) {
		const count = isTiny ? 10 : 200;
		const rows: Row[] = [];
		for (const [engine, env, atLeast] of isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const service = await startService();
			const world = await startBenchWorld({ env });
			try {
				const webhook = await webhookNode(world);
				const all = await kinds(world, service);
				const contestants = new Map<string, () => Promise<number>>([
					[WEBHOOK, async () => await eventsPerSecond(world, webhook, count, IN_FLIGHT)],
				]);
				for (const [name, kind] of all) {
					contestants.set(name, async () => {
						const deliveries = Array.from({ length: count }, () => kind.next);
						const started = performance.now();
						await deliverAll(deliveries, IN_FLIGHT, kind.status);
						return (count / (performance.now() - started)) * 1000;
					});
				}
				const figures = await interleaved(rounds, contestants, isTiny ? 0 : 1);
				for (const name of all.keys()) {
					const both = new Map([...figures].filter(([key]) => key === name || key === WEBHOOK));
					rows.push(...rowsOf(`${name}, engine ${engine}`, '/s', both, name, { [WEBHOOK]: { atLeast } }));
				}
			} finally {
				await world.stop();
				await service.stop();
			}
		}
		return rows;
	},
};
