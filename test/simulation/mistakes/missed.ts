import { changeInput, changeMethods, changeOutput, stub, type Mistakes } from './wrap';

/** Mistakes in catching up missed messages, by their names. */
export const MISSED: Mistakes = {
	'the end of a run is not recorded': [
		'ran in executions',
		stub('trigger/catchUp/workflowRuns', 'recordEnd', undefined),
	],
	'a message that runs nowhere is started only once': [
		'never ran to its end',
		changeMethods('trigger/deduplication/messageRuns', 'createMessageRuns', () => ({ isBegun: () => true })),
	],
	'a trigger does not note since when it listens': [
		'never ran to its end',
		stub('trigger/catchUp/listening', 'noteListening', undefined),
	],
	'a trigger looks back to before it was published': [
		'of before ran in',
		stub('trigger/catchUp/listening', 'wantedSince', 0),
	],
	"the account's own messages run": [
		'of the account itself ran',
		changeInput('trigger/delivery/filter', 'verdictOn', (event, ...others) => {
			const fromMe = event.type === 'message.received' ? false : event.message.fromMe;
			return [{ ...event, message: { ...event.message, fromMe } }, ...others];
		}),
	],
	'the newest message of a chat starts first': [
		'started before',
		changeMethods('trigger/catchUp/chatQueue', 'createChatQueue', ({ add }) => ({
			add: (messages) => add([...messages].reverse()),
		})),
	],
	'a loop goes on when its trigger is unpublished': [
		'does not come to an end',
		changeOutput('n8n/backgroundLoop', 'startInBackground', () => () => {}),
	],
	'a loop asks far too often': [
		'in which nothing happened',
		changeInput('trigger/catchUp/chatList', 'sharedChats', (client, account, _, stopped) => [
			client,
			account,
			0,
			stopped,
		]),
		changeInput('n8n/backgroundLoop', 'repeat', (context, loop, stopped) => {
			const pass = async () => ({ ...(await loop.pass()), pauseMs: 10_000 });
			return [context, { ...loop, pass }, stopped];
		}),
	],
};
