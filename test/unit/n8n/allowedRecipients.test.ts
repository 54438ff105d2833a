import { allowedRecipientsIn, problemOfAllowed } from '../../../nodes/MessagingChannel/n8n/connect';

const PROBLEM =
	"'Allowed Recipients' has an entry that is neither a phone number with its country code nor a chat ID: ";

test.each<[data: object, allowed?: string[], problem?: string]>([
	// A credential that is older than the field, and one whose field is empty.
	[{}],
	[{ allowedRecipients: ' \n' }],
	[
		{ allowedRecipients: '+90 555 123 45 67,\n120363025246125486@g.us' },
		['905551234567', '120363025246125486@g.us'],
	],
	// Whatever else is there never allows everybody.
	[{ allowedRecipients: ' , ' }, []],
	[{ allowedRecipients: null }, [], `${PROBLEM}'null'`],
	[{ allowedRecipients: undefined }, [], `${PROBLEM}'null'`],
	[{ allowedRecipients: 905551234567 }, ['905551234567']],
	[{ allowedRecipients: '{{ $json.list }}' }, [], `${PROBLEM}'{{ $json.list }}'`],
	[{ allowedRecipients: '+90 555 123 45 67, Ada' }, ['905551234567'], `${PROBLEM}'Ada'`],
])('a credential with %j allows %j', (...[data, allowed, problem]) => {
	expect(allowedRecipientsIn(data as never)).toEqual(allowed);
	expect(problemOfAllowed(data as never)).toBe(problem);
});
