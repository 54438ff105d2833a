import { textsOf } from './pageTexts';
import type { Question } from './question';

/**
 * The text to send: the question, followed by a link for each answer. The service has no buttons.
 *
 * @param linkTo creates a signed link to the question page with these query parameters
 */
export function messageWith(
	{ message, reply, isAttributed, texts }: Question,
	linkTo: (query: Record<string, string>) => string,
): string {
	const links =
		reply.type === 'approval'
			? [
					`${reply.approve}: ${linkTo({ approved: 'true' })}`,
					...(reply.decline === undefined ? [] : [`${reply.decline}: ${linkTo({ approved: 'false' })}`]),
				]
			: [`${reply.link}: ${linkTo({})}`];
	return [message, ...links, ...(isAttributed ? [textsOf({ texts }).attribution] : [])].join('\n\n');
}
