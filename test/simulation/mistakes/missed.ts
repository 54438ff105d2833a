import { changing, wrap, type Mistakes } from './wrap';

/** Mistakes in catching up missed messages, by their names. */
export const MISSED: Mistakes = {
	'the end of a run is not recorded': [
		'ran in executions',
		wrap('trigger/catchUp/workflowRuns', 'recordEnd', () => () => {}),
	],
	'a message that runs nowhere is started only once': [
		'never ran to its end',
		changing('trigger/deduplication/messageRuns', 'createMessageRuns', () => ({ isBegun: () => true })),
	],
	'a trigger does not note since when it listens': [
		'never ran to its end',
		wrap('trigger/catchUp/listening', 'noteListening', () => () => {}),
	],
	'a trigger looks back from when the service responds': [
		'never ran to its end',
		wrap('trigger/catchUp/listening', 'wantedSince', () => (_, startedAt) => startedAt + 40_000),
	],
	'a trigger looks back to before it was published': [
		'of before ran in',
		wrap('trigger/catchUp/listening', 'wantedSince', () => () => 0),
	],
	"the account's own messages run": [
		'of the account itself ran',
		wrap('trigger/delivery/filter', 'verdictOn', (original) => (event, ...given) => {
			const fromMe = event.type === 'message.received' ? false : event.message.fromMe;
			return original({ ...event, message: { ...event.message, fromMe } }, ...given);
		}),
	],
	'the newest message of a chat starts first': [
		'started before',
		changing('trigger/catchUp/chatQueue', 'createChatQueue', ({ add }) => ({
			add: (messages) => add([...messages].reverse()),
		})),
	],
	'a loop goes on when its trigger is unpublished': [
		'does not come to an end',
		wrap('n8n/backgroundLoop', 'startInBackground', (original) => (...given) => {
			original(...given);
			return () => {};
		}),
	],
	'a loop asks far too often': [
		'in which nothing happened',
		wrap(
			'trigger/catchUp/chatList',
			'sharedChats',
			(original) => async (client, account, _, stopped) => await original(client, account, 0, stopped),
		),
		wrap('n8n/backgroundLoop', 'repeat', (original) => async (context, loop, stopped) => {
			const pass = async () => ({ ...(await loop.pass()), pauseMs: 10_000 });
			await original(context, { ...loop, pass }, stopped);
		}),
	],
};
