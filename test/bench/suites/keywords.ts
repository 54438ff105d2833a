import { messageBody } from '../../support/world/triggerWorld';
import { deliverAll, ourTrigger, type Delivered } from '../support/listeners';
import { interleaved, rowsOf, type Row, type Suite } from '../support/suite';
import { ENGINES, inServices, repeated } from './events';

const DROPPED = 'a message without a keyword';
const STARTING = 'a message with one, which starts an execution';
const TEXTS = { [DROPPED]: 'Hello', [STARTING]: 'The price?' };

/** What a message costs that starts nothing, beside one that starts an execution. */
export const keywords: Suite = {
	name: 'keywords',
	title: 'Keywords',
	how: 'Signed messages to two triggers with the keyword "price", 10 at a time, until the last execution is over, in one n8n for each way in which it evaluates expressions. As delivered, n8n itself spends about as much on both.',
	async run(scale) {
		const rows: Row[] = [];
		for (const { engine, env, count: usual } of scale.isTiny ? ENGINES.slice(0, 1) : ENGINES) {
			const count = scale.isTiny ? 10 : usual;
			const medians = await inServices(2, env, async (world, services) => {
				const contestants: Record<string, () => Promise<Delivered>> = {};
				for (const [index, [name, body]] of Object.entries(TEXTS).entries()) {
					const [service] = services.slice(index);
					if (!service) continue;
					const options = { keywords: ['price'] };
					const listener = await ourTrigger(world, service, options, () => messageBody({ body }));
					const deliveries = () => repeated(() => listener.next(), count);
					contestants[name] = async () => await deliverAll(world, listener, deliveries(), 10);
				}
				return await interleaved<'perSecond'>(scale, contestants);
			});
			const wanted = engine === 'as delivered' ? undefined : { [STARTING]: { atLeast: 5 } };
			rows.push(...rowsOf(`${engine}: events`, '/s', medians, 'perSecond', DROPPED, wanted));
		}
		return rows;
	},
};
