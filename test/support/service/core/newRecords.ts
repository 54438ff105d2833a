import type { Group, Tag, Template } from './records';
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

/** A new group in the store. */
export function addGroup(runtime: Runtime, body: Partial<Group> & Pick<Group, 'name'>): Group {
	const group = { id: runtime.nextId('group'), color: '', description: '', icon: '', ...body };
	runtime.store.groups.set(group.id, group);
	return group;
}

/** A new tag in the store. */
export function addTag(runtime: Runtime, body: Partial<Tag> & Pick<Tag, 'name'>): Tag {
	const tag = { id: runtime.nextId('tag'), color: '', ...body };
	runtime.store.tags.set(tag.id, tag);
	return tag;
}
