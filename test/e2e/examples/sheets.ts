import { readExample } from './example';
import type { Execution } from '../../support/n8n/execution';
import type { GoogleSheets } from '../../support/google/sheets';
import { withCredentialChosen, type CredentialReference } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';

/** The examples that send what a spreadsheet says. */
export function sheets(world: () => World, google: () => GoogleSheets): void {
	let googleAccount: CredentialReference;

	beforeAll(async () => {
		googleAccount = await world().n8n.api.createCredential('googleApi', 'Google', google().account);
	});

	/** Imports an example and chooses what a user chooses. A service account needs no browser. */
	async function install(name: string): Promise<string> {
		const example = withCredentialChosen(await readExample(name), world().credential);
		const chosen = {
			authentication: 'serviceAccount',
			documentId: { __rl: true, mode: 'id', value: google().documentId },
		};
		const nodes = example.nodes.map((node) =>
			node.type === 'n8n-nodes-base.googleSheets'
				? {
						...node,
						parameters: { ...node.parameters, ...chosen },
						credentials: { [googleAccount.type]: googleAccount },
					}
				: node,
		);
		const { id } = await world().n8n.api.createWorkflow({ ...example, nodes });
		return id;
	}

	/** A row that spreadsheets have dropped the plus and the 0 of, one of somebody who opted out, and one with a mistake. */
	const columns = ['name', 'phone', 'state', 'why'];
	const customers = [
		['Ada', 5551112231, ''],
		['Bo', '0555 111 22 32', ''],
		['Cem', '+90 555 111 22 33'],
		['Dina', 'unknown', ''],
	];

	beforeEach(async () => {
		await world().service.control.seed({
			tags: [{ name: 'unsubscribed' }],
			contacts: [{ phone: '905551112232', tags: ['unsubscribed'] }],
		});
		google().enter([columns, ...customers]);
	});

	const states = () =>
		google()
			.rows()
			.map(([, , state]) => state);
	const whys = () =>
		google()
			.rows()
			.map(([, , , why = '']) => why);

	const noNumber = expect.stringContaining("'unknown'");
	const optedOut = "The contact has the tag 'unsubscribed'";

	describe('a campaign', () => {
		const run = async (id: string): Promise<Execution> => {
			const execution = await world().n8n.api.run(id, 'Start');
			expect(execution.error).toBeUndefined();
			return execution;
		};
		const accepted = async () =>
			(await world().service.control.accepted()).map(({ to, body }) => `${to} ${body.split(',')[0]}`).sort();

		test('reaches each person once, and each row says what became of it', async () => {
			const id = await install('campaign-from-sheet');
			await run(id);
			expect(states()).toEqual(['queued', 'skipped', 'queued', 'not_sent']);
			expect(whys()).toEqual(['', optedOut, '', noNumber]);
			const first = ['905551112231@c.us Dear Ada', '905551112233@c.us Dear Cem'];
			expect(await accepted()).toEqual(first);

			// The sheet is corrected, continued and sorted, and the workflow started anew.
			const [ada = [], bo = [], cem = []] = google().rows();
			google().enter([columns, ['Eva', 5551112235, ''], cem, bo, ['Dina', '555 111 22 34', ''], ada]);
			await run(id);

			expect(states()).toEqual(['queued', 'already_sent', 'skipped', 'queued', 'already_sent']);
			expect(whys()).toEqual(['', '', optedOut, '', '']);
			expect(await accepted()).toEqual([
				...first,
				'905551112234@c.us Dear Dina',
				'905551112235@c.us Dear Eva',
			]);
		});

		test('an uncertain message is told, and not sent again', async () => {
			const { control } = world().service;
			await control.addFault({
				operationId: 'message.send',
				kind: 'reset',
				when: 'before',
				bodyHas: { to: '905551112233' },
			});
			const id = await install('campaign-from-sheet');
			await run(id);

			expect(states()).toEqual(['queued', 'skipped', 'uncertain', 'not_sent']);
			expect(whys()).toEqual(['', optedOut, expect.stringContaining('may have been sent'), noNumber]);
		});
	});

	describe('a broadcast', () => {
		const broadcasts = async () =>
			(await world().service.control.requests({ operationId: 'broadcast.create', accepted: true })).map(
				({ body }) => (body as { recipients: string[] }).recipients,
			);

		test('is created once, and each row says whether it is in it', async () => {
			google().enter([
				columns,
				...customers,
				['Ada again', 5551112231, ''],
				['Bo again', '0555 111 22 32', ''],
			]);
			const id = await install('broadcast-from-sheet');
			expect((await world().n8n.api.run(id, 'Start')).error).toBeUndefined();

			const written = [
				'in the broadcast',
				`skipped: ${optedOut}`,
				'in the broadcast',
				expect.stringMatching(/^not_sent: .*'unknown'/),
				'in the broadcast',
				`skipped: ${optedOut}`,
			];
			expect(states()).toEqual(written);
			expect(await broadcasts()).toEqual([['905551112231', '905551112233']]);

			expect((await world().n8n.api.run(id, 'Start')).error).toBeUndefined();
			expect(await broadcasts()).toHaveLength(1);
			expect(states()).toEqual(written);
		});

		test('that the service refuses stops the workflow, and writes nothing about it', async () => {
			const fault = { operationId: 'broadcast.create', kind: 'status', status: 403 } as const;
			await world().service.control.addFault({ ...fault, error: 'forbidden' });
			google().enter([columns, ...customers.slice(0, 3)]);
			const id = await install('broadcast-from-sheet');

			const { error } = await world().n8n.api.run(id, 'Start');

			expect(error?.message).toContain('The broadcast was not created: The API key lacks the permission');
			expect(states()).toEqual(['', '', undefined]);
		});
	});
}
