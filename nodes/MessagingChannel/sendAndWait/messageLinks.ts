import type { Question } from './question';

const ATTRIBUTION = 'Sent automatically with n8n';

/**
 * The text to send: the question, and under it a link for each answer, because the service has no buttons.
 *
 * @param linkTo makes a signed link to the question's page, with these parameters in its query
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
