/** A link, or the text before one, which may itself be a link without its scheme. */
const LINK = /https?:\/\/[^\s<>"'`()[\]]+|(?:(?!https?:\/\/)[^\s<>"'`()[\]])+/gi;

/** n8n resumes a waiting execution for whoever opens such a link. */
const RESUMES_EXECUTION = /[?&]signature=|\/(?:webhook|form)-waiting\//i;

/** Replaces links that answer a waiting question: with one of them, a model could approve its own request. */
export function withoutAnswerLinks(text: string): string {
	return text.replace(LINK, (link) => (resumesExecution(link) ? '[link]' : link));
}

/** Whether a link answers a question, or leads to one that does. */
function resumesExecution(link: string): boolean {
	return RESUMES_EXECUTION.test(link) || RESUMES_EXECUTION.test(decoded(link));
}

/** The characters that a link within a link has encoded. */
function decoded(link: string): string {
	return link.replace(/%(2f|3f|3d|26)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
