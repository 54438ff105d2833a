import { aiAgent } from './examples/aiAgent';
import { allExamples } from './examples/allExamples';
import { answerWithTemplate } from './examples/answerWithTemplate';
import { approveAnswersInChat } from './examples/approveAnswersInChat';
import { approveBroadcast } from './examples/approveBroadcast';
import { archiveMedia } from './examples/archiveMedia';
import { broadcasts } from './examples/broadcasts';
import { deliveryTracking } from './examples/deliveryTracking';
import { errorAlert } from './examples/errorAlert';
import { gatherBursts } from './examples/gatherBursts';
import { oneTrigger } from './examples/oneTrigger';
import { optOut } from './examples/optOut';
import { orderNotifications } from './examples/orderNotifications';
import { supportAutoReply } from './examples/supportAutoReply';
import { takeOver } from './examples/takeOver';
import { voiceNotes } from './examples/voiceNotes';
import { describeWhere, lacksTableCreation } from '../support/world/describeWhere';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

afterEach(async () => expect((await world?.service.control.defects()) ?? []).toEqual([]));

describe('every example', () => allExamples(() => world));

// One n8n runs them all; what each of them promises stands in a file of its own.
const examples = {
	answerWithTemplate,
	approveBroadcast,
	archiveMedia,
	broadcasts,
	errorAlert,
	oneTrigger,
	optOut,
	supportAutoReply,
};

describe.each(Object.entries(examples))('%s', (_, promises) => promises(() => world));

describeWhere(
	'tableCreation',
	() => {
		const examplesWithTables = { deliveryTracking, gatherBursts, orderNotifications };
		describe.each(Object.entries(examplesWithTables))('%s', (_, promises) => promises(() => world));
	},
	() => lacksTableCreation(() => world.n8n.api),
);

describeWhere(
	'packageMemory',
	() => {
		const examplesWithMemory = { aiAgent, approveAnswersInChat, takeOver, voiceNotes };
		describe.each(Object.entries(examplesWithMemory))('%s', (_, promises) => promises(() => world));
	},
	() => {
		test('an agent cannot remember a chat', async () => {
			await expect(
				world.n8n.api.nodeType('n8n-nodes-messaging-channel.messagingChannelMemory'),
			).resolves.toBeDefined();
		});
	},
);
