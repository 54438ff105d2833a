import type * as Certainty from '../../support/certainty';
import type * as Schemas from '../../support/outputSchemas';
import type * as Description from '../../support/service/core/description';

type Marked = { properties: Record<string, object> };
type Definition = { components: { schemas: Record<'Contact' | 'StatusEvent', Marked> } };

const DESCRIPTION = '../../support/service/core/description';

/** What the schemas, the panels and the docs say, with `openapi.yaml` as changed. */
function saidWith(change: (schemas: Definition['components']['schemas']) => void) {
	jest.resetModules();
	jest.doMock(DESCRIPTION, () => {
		const actual = jest.requireActual<typeof Description>(DESCRIPTION);
		const definition = actual.loadDefinition();
		change((definition as unknown as Definition).components.schemas);
		return { ...actual, loadDefinition: () => definition };
	});
	const { eventsList, inferredFields } = jest.requireActual<typeof Certainty>('../../support/certainty');
	const { outputSchemas } = jest.requireActual<typeof Schemas>('../../support/outputSchemas');
	const { properties = {} } = outputSchemas()['v1.0.0/contact/get.json'] ?? {};
	return { schema: properties.created_at?.description, panel: inferredFields(), docs: eventsList() };
}

test('what an answer has shown is marked in openapi.yaml, and the schemas, the panels and the docs say so', () => {
	expect(saidWith(() => undefined)).toMatchObject({
		schema: 'inferred',
		panel: {
			'contact.get': 'last_message_at, created_at',
			'message.sent': 'event, account_id, job_id, chat, message',
		},
		docs: expect.stringContaining(
			'- Message Sent, inferred: `event`, `account_id`, `job_id`, `chat`',
		) as string,
	});
	const seen = saidWith(({ Contact, StatusEvent }) => {
		Object.assign(Contact.properties.created_at ?? {}, { 'x-seen': true });
		Object.assign(StatusEvent.properties.job_id ?? {}, { 'x-seen': true });
	});
	expect(seen).toMatchObject({
		schema: 'seen',
		panel: {
			'contact.get': 'last_message_at, created_at (seen in an answer)',
			'message.sent': 'event, account_id, chat, message, job_id (seen in an answer)',
		},
		docs: expect.stringContaining('- Message Sent, seen: `job_id`\n') as string,
	});
});
