import type { ApiRequest, Endpoint, Parameters } from '../api/apiRequest';
import { recordOrEmpty } from '../api/values';
import { isChatId, phoneIn } from '../recipients/recipient';
import { exactObject, InvalidInput, shown, type Input } from './input';
import { INFERRED_FIELDS } from './inferredFields';
import type { Field } from './operation';

/** The notice above the fields of an endpoint that the API spec does not show, in whole or in part. */
export const INFERRED_NOTICE: Record<NonNullable<Endpoint['inferred']>, string> = {
	endpoint:
		"Not confirmed by the service yet. Try it with two of your own numbers first. If it fails, correct its path under 'Options'.",
	body: "Not confirmed by the service yet. Try it with two of your own numbers first. If it fails, correct its fields under 'Options'.",
};

/** Says which fields of an output or an event the service publishes, an answer showed, or are inferred; undefined if it publishes all. */
export function inferredFieldsNotice(id: string): string | undefined {
	const fields = INFERRED_FIELDS[id];
	return (
		fields &&
		`You can ignore this unless a later step uses these output fields: ${fields}. The service does not publish them, so look at your own output first.`
	);
}

const ID_PLACEHOLDER = '{id}';

/** The option that replaces the inferred path. */
function endpointPath({ path: inferred }: Endpoint): Field {
	const withId = inferred.includes(ID_PLACEHOLDER)
		? `. ${ID_PLACEHOLDER} is replaced with the ID entered above.`
		: '';
	return {
		displayName: 'Endpoint Path',
		name: 'endpointPath',
		type: 'string',
		default: '',
		placeholder: `e.g. ${inferred}`,
		description: `Path to call instead of the derived one${withId}`,
		api: [],
		toApi: (path: string) => {
			const own = inferred.includes(ID_PLACEHOLDER) ? path.replaceAll(ID_PLACEHOLDER, 'id') : path;
			// Only a path is accepted, because a host in it would receive the API key.
			if (/^(\/(?!(\.|%2e){1,2}(\/|$))[^/\s\\?#{}]+)+$/i.test(own)) return { endpointPath: path };
			throw new InvalidInput(
				`is not a valid path: ${shown(path)}`,
				`Enter the part after the base URL, starting with '/', e.g. ${inferred}.`,
			);
		},
	};
}

const bodyFields: Field = {
	displayName: 'Body Fields',
	name: 'bodyFields',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"field_name": "value"}',
	description: 'Fields to add to the request body or replace in it, as the service names them',
	mustBeWhole: true,
	api: [],
	toApi: (fields: object) => ({ bodyFields: exactObject(fields) }),
};

/** The options that correct an inferred endpoint, so that a user need not wait for a release of this package. */
export function correctionsOf(endpoint: Endpoint): Field[] {
	if (!endpoint.inferred) return [];
	const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
	return [...(hasBody ? [bodyFields] : []), endpointPath(endpoint)];
}

/** Whether the user adds fields to the body. */
export function hasBodyFields(settings: Parameters): boolean {
	return Object.keys(recordOrEmpty(settings.bodyFields)).length > 0;
}

/** The fields of a body that name who gets the message, beside any list of recipients. */
const RECIPIENT_FIELDS = ['to', 'recipients'];

function isListOfRecipients(value: unknown): boolean {
	const isRecipient = (entry: unknown) => isChatId(String(entry)) || phoneIn(String(entry)) !== undefined;
	return Array.isArray(value) && value.some(isRecipient);
}

/**
 * Applies the user's corrections to a request whose endpoint is inferred.
 *
 * @throws InvalidInput if they name recipients, whose tags would not be checked
 */
export function corrected(request: ApiRequest, { settings }: Input): ApiRequest {
	const path = settings.endpointPath as string | undefined;
	const body = settings.bodyFields as ApiRequest['bodyFields'];
	const tags = (settings.skipTags ?? []) as string[];
	const [recipientField] =
		Object.entries(body ?? {}).find(
			([name, value]) => RECIPIENT_FIELDS.includes(name) || isListOfRecipients(value),
		) ?? [];
	if (tags.length > 0 && recipientField !== undefined) {
		throw new InvalidInput(
			`has recipients in '${recipientField}', which 'Recipients: Skip Tags' cannot check`,
			"Enter the recipients in the node's own field, or remove 'Recipients: Skip Tags'.",
			bodyFields.displayName,
		);
	}
	const endpoint = { ...request.endpoint, ...(path === undefined ? {} : { path, corrected: true as const }) };
	return { ...request, endpoint, bodyFields: body };
}
