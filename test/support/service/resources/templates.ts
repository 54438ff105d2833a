import { invalid } from '../core/apiError';
import { data, recordsOf, type CheckedRequest, type Reply } from '../core/call';
import type { Template } from '../core/records';
import { addTemplate, placeholder, placeholdersOf } from '../core/newRecords';
import { acceptSend, longestText } from '../core/sending';

/** The template's text with its placeholders filled; 400 when a value is missing. */
export function fill(template: Template, variables: Record<string, string>): string {
	if (!template.is_active) throw invalid(`The template ${template.name} is not active.`);
	const missing = placeholdersOf(template.content).filter((name) => !(name in variables));
	if (missing.length > 0) throw invalid(`The field variables lacks ${missing.join(', ')}.`);
	const text = template.content.replace(placeholder, (_match, name: string) => variables[name] ?? '');
	if (text.length > longestText)
		throw invalid(`The filled template is longer than ${longestText} characters.`);
	return text;
}

const templates = recordsOf(({ templates: all }) => all, 'The template');
export const findTemplate = templates.find;

/** GET, PUT and DELETE /templates/{id} */
export const { get, update, remove } = templates;

/** GET /templates */
export const getAll = ({
	runtime,
	query,
}: CheckedRequest<unknown, { category?: string; is_active?: boolean; search?: string }>) => {
	const search = query.search?.toLowerCase() ?? '';
	return data(
		[...runtime.store.templates.values()].filter(
			({ name, content, category, is_active }) =>
				(query.category ?? category) === category &&
				(query.is_active ?? is_active) === is_active &&
				(name.toLowerCase().includes(search) || content.toLowerCase().includes(search)),
		),
	);
};

/** POST /templates */
export const create = ({ runtime, body }: CheckedRequest<Pick<Template, 'name' | 'content'>>) =>
	data(addTemplate(runtime, body), 201);

interface SendBody {
	to: string;
	template_id?: string;
	template_name?: string;
	variables?: Record<string, string>;
}

/** POST /messages/send-template */
export const send = ({ runtime, operationId, body }: CheckedRequest<SendBody>): Reply => {
	const byName = () =>
		[...runtime.store.templates.values()].find(({ name }) => name === body.template_name)?.id;
	const id = body.template_id ?? byName() ?? body.template_name ?? '';
	const template = findTemplate({ runtime, path: { id } });
	const text = fill(template, body.variables ?? {});
	const { jobId, to } = acceptSend(runtime, operationId, { to: body.to, body: text });
	return { status: 202, json: { success: true, queued: true, job_id: jobId, to } };
};
