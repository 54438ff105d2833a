import type { Question } from './question';

const ATTRIBUTION = 'Sent automatically with n8n';

/**
 * The text to send: the question, followed by a link for each answer. The service has no buttons.
 *
 * @param linkTo creates a signed link to the question page with these query parameters
 */
export function messageWith(
	{ message, reply, isAttributed }: Question,
	linkTo: (query: Record<string, string>) => string,
): string {
	const links =
		reply.type === 'approval'
			? [
					`${reply.approve}: ${linkTo({ approved: 'true' })}`,
					...(reply.decline === undefined ? [] : [`${reply.decline}: ${linkTo({ approved: 'false' })}`]),
				]
			: [`${reply.link}: ${linkTo({})}`];
	return [message, ...links, ...(isAttributed ? [ATTRIBUTION] : [])].join('\n\n');
}
