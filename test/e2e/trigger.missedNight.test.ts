import { withLegacyExpressions } from '../support/n8n/environment';
import { sampled } from '../support/nightly';
import { publishAnswering, textsThatRan, untilAllRan } from '../support/world/missedMessages';
import { runSql } from '../support/world/database';
import { removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

/** Of more than a hundred, the engine's tests show that they are read in several passes. */
const CHATS = sampled(10, 40);
const MESSAGES_PER_CHAT = 2;
/** A night. */
const DOWN_MS = 8 * 3_600_000;
const NAME = 'Answers';

// Each wait has an end of its own, which says what did not happen.
jest.setTimeout(1_200_000);

let world: World;

beforeAll(async () => {
	world = await startWorld({ env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());

test('a night in which n8n was down is caught up, each chat in order and with few requests', async () => {
	const { n8n, service } = world;
	const id = await publishAnswering(world, NAME, { options: { catchUp: 720 } }, 0);
	await service.control.incomingMessage({ from: '905550000001', body: 'in the evening' });
	expect((await untilAllRan(world, NAME, ['in the evening'], 240_000)).notRun).toEqual([]);
	await n8n.kill();
	// Published long before.
	const path = `$."node:${TRIGGER}".listeningSince`;
	await runSql(
		n8n,
		`UPDATE workflow_entity SET staticData = json_set(staticData, '${path}', ${Date.now() - 2 * DOWN_MS}) WHERE id = '${id}'`,
	);
	const messages = Array.from({ length: CHATS * MESSAGES_PER_CHAT }, (_, index) => ({
		chatId: `90555${1_000_000 + (index % CHATS)}@c.us`,
		body: `${index}`,
		timestamp: Math.floor(
			(Date.now() - DOWN_MS + (index * 0.99 * DOWN_MS) / (CHATS * MESSAGES_PER_CHAT)) / 1000,
		),
	}));
	await service.control.seed({ messages });
	await service.control.clearRequests();
	const startedAt = Date.now();
	await n8n.restart();

	const texts = messages.map(({ body }) => body);
	const { notRun, repeated } = await untilAllRan(world, NAME, texts, 280_000 + CHATS * 5_000);

	const seconds = Math.round((Date.now() - startedAt) / 1000);
	const requests = async (operationId: string) => (await service.control.requests({ operationId })).length;
	const [lists, chats] = [await requests('chat.getAll'), await requests('chat.getMessages')];
	console.log(
		`${texts.length} messages in ${CHATS} chats ran after ${seconds} s: ${lists} lists and ${chats} chats were read`,
	);
	expect([notRun, repeated]).toEqual([[], 0]);
	const ran = await textsThatRan(world, NAME);
	const inOrder = texts
		.slice(CHATS)
		.filter((later) => ran.indexOf(`${Number(later) - CHATS}`) < ran.indexOf(later));
	expect(inOrder).toHaveLength(texts.length - CHATS);
	// A short page proves nothing, so a chat that was not read before takes one more request.
	expect(chats).toBeLessThan(4 * CHATS);
	await removeTrigger(world, id);
});
