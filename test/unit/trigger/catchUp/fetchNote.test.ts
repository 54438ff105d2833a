import { accountIn } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { createFetchNote } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchNote';

const trigger = { key: '1 node', workflow: { id: '1', name: 'Workflow' } };

const credentialOf = (apiKey: string) => ({ baseUrl: 'https://service.example', apiKey });
const notesOf = (apiKey: string) => [...accountIn(credentialOf(apiKey)).fetches.values()];

test('a trigger stands with its latest account, until n8n ends it', () => {
	const note = createFetchNote(trigger, true);
	note.begin(credentialOf('before'));
	note.keep(2, undefined);
	expect(notesOf('before')).toMatchObject([{ workflow: 'Workflow', isPolling: true, left: 2 }]);

	note.begin(credentialOf('after'));
	note.keep(0, 'a problem');
	expect(notesOf('before')).toEqual([]);
	expect(notesOf('after')).toMatchObject([{ left: 0, problem: 'a problem' }]);

	note.end();
	// A look for messages was under way.
	note.keep(0, 'This operation was aborted');
	expect(notesOf('after')).toEqual([]);
});
