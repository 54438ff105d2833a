import type { Template } from './records';
import type { Runtime } from './runtime';

/** A placeholder of a template: `{{ name }}`. */
export const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** The placeholders of a text, each once. */
export const placeholdersOf = (content: string): string[] => [
	...new Set([...content.matchAll(placeholder)].map((match) => match[1] ?? '')),
];

/** A new template with the defaults of the specification, in the store. */
export function addTemplate(
	runtime: Runtime,
	body: Partial<Template> & Pick<Template, 'name' | 'content'>,
): Template {
	const template: Template = {
		id: runtime.random.uuid(),
		category: 'general',
		language: 'tr',
		variables: placeholdersOf(body.content),
		is_active: true,
		...body,
	};
	runtime.store.templates.set(template.id, template);
	return template;
}
