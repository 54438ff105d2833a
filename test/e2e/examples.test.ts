import { aiAgent } from './examples/aiAgent';
import { allExamples } from './examples/allExamples';
import { answerWithTemplate } from './examples/answerWithTemplate';
import { approveAnswersInChat } from './examples/approveAnswersInChat';
import { approveBroadcast } from './examples/approveBroadcast';
import { archiveMedia } from './examples/archiveMedia';
import { broadcasts } from './examples/broadcasts';
import { deliveryTracking } from './examples/deliveryTracking';
import { emptyService } from './examples/emptyService';
import { errorAlert } from './examples/errorAlert';
import { gatherBursts } from './examples/gatherBursts';
import { oneTrigger } from './examples/oneTrigger';
import { optOut } from './examples/optOut';
import { orderNotifications } from './examples/orderNotifications';
import { sheets } from './examples/sheets';
import { supportAutoReply } from './examples/supportAutoReply';
import { takeOver } from './examples/takeOver';
import { voiceNotes } from './examples/voiceNotes';
import { startGoogleSheets, type GoogleSheets } from '../support/google/sheets';
import { describeWhere, lacksTableCreation } from '../support/world/describeWhere';
import { startWorld, type World } from '../support/world/world';

let world: World;
let google: GoogleSheets;

beforeAll(async () => {
	google = await startGoogleSheets();
	world = await startWorld({ env: google.env });
});

afterAll(async () => {
	await world?.stop();
	await google?.stop();
});

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
	sheets: (inWorld: () => World) => sheets(inWorld, () => google),
	supportAutoReply,
};

type Promises = (world: () => World) => void;
const keepPromises = (named: Record<string, Promises>) =>
	describe.each(Object.entries(named))('%s', (_, promises) => {
		beforeEach(async () => await emptyService(world));
		promises(() => world);
	});

keepPromises(examples);

describeWhere(
	'tableCreation',
	() => keepPromises({ deliveryTracking, gatherBursts, orderNotifications }),
	() => lacksTableCreation(() => world.n8n.api),
);

describeWhere(
	'packageMemory',
	() => keepPromises({ aiAgent, approveAnswersInChat, takeOver, voiceNotes }),
	() => {
		test('an agent cannot remember a chat', async () => {
			await expect(
				world.n8n.api.nodeType('n8n-nodes-messaging-channel.messagingChannelMemory'),
			).resolves.toBeDefined();
		});
	},
);
