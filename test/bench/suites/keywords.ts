import type { Service } from '../../support/service/service';
import { messageBody } from '../../support/world/triggerWorld';
import { deliverAll, ourTrigger } from '../support/listeners';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { besideServices, ENGINES } from './events';

const DROPPED = 'a message without a keyword';
const STARTING = 'a message with one, which starts an execution';

/** What a message costs that starts nothing, beside one that starts an execution. */
export const keywords: Suite = {
	name: 'keywords',
	title: 'Keywords',
	how: 'Signed messages to two triggers with the keyword "price", 10 at a time, until the last execution is over, in one n8n for each way in which it evaluates expressions. As delivered, n8n itself spends about as much on both.',
	async run(scale) {
		const rows: Row[] = [];
		for (const { engine, env, count: usual } of scale.isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const count = scale.isTiny ? 10 : usual;
			const medians = await besideServices(env, async (world, services) => {
				const listenerOf = async (service: Service, body: string) =>
					await ourTrigger(world, service, { keywords: ['price'] }, () => messageBody({ body }));
				const dropping = await listenerOf(services[0], 'Hello');
				const starting = await listenerOf(services[1], 'The price?');
				return await interleaved(scale, {
					[DROPPED]: async () => await deliverAll(world, dropping, count, 10),
					[STARTING]: async () => await deliverAll(world, starting, count, 10),
				});
			});
			const wanted = engine === 'as delivered' ? undefined : { [STARTING]: { atLeast: 5 } };
			rows.push(...rowsOf(`${engine}: events`, '/s', medians, 'perSecond', DROPPED, wanted));
		}
		return rows;
	},
};
