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
	const { eventsTable, inferredFields } = jest.requireActual<typeof Certainty>('../../support/certainty');
	const { outputSchemas } = jest.requireActual<typeof Schemas>('../../support/outputSchemas');
	const { properties = {} } = outputSchemas()['v1.0.0/contact/get.json'] ?? {};
	const table = eventsTable().split('\n');
	const [, received, sent] = table.find((line) => line.includes('`job_id`'))?.match(/\w+|–/g) ?? [];
	return { schema: properties.created_at?.description, panel: inferredFields(), docs: [received, sent] };
}

test('what an answer has shown is marked in openapi.yaml, and the schemas, the panels and the docs say so', () => {
	expect(saidWith(() => undefined)).toMatchObject({
		schema: 'inferred',
		panel: {
			'contact.get': 'last_message_at, created_at',
			'message.sent': 'event, account_id, job_id, chat, message',
		},
		docs: ['–', 'inferred'],
	});
	const seen = saidWith(({ Contact, StatusEvent }) => {
		Object.assign(Contact.properties.created_at ?? {}, { 'x-seen': true });
		Object.assign(StatusEvent.properties.job_id ?? {}, { 'x-seen': true });
	});
	expect(seen).toMatchObject({
		schema: 'seen',
		panel: { 'contact.get': 'last_message_at', 'message.sent': 'event, account_id, chat, message' },
		docs: ['–', 'seen'],
	});
});
