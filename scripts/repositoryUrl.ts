import manifest from '../package.json';

/** The page of the repository, which package.json alone says. */
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** The text with all links to the repository pointing to where it is now. */
export function withRepositoryUrl(text: string): string {
	const links = new RegExp(`github\\.com/[\\w.-]+/${manifest.name}(?![\\w-])`, 'g');
	return text.replace(links, repositoryUrl.replace('https://', ''));
}
