// Refuses to publish the package under the names that stand for its author and repository until they are known.
import { readFileSync } from 'node:fs';

const { author, repository, homepage, bugs } = JSON.parse(readFileSync('package.json', 'utf8'));

const placeholders = [
	author.email.endsWith('.example') && `author.email is '${author.email}'`,
	...Object.entries({ 'repository.url': repository.url, homepage, 'bugs.url': bugs?.url }).map(
		([field, url]) => url?.includes('github.com/messaging-channel/') && `${field} is '${url}'`,
	),
].filter(Boolean);

for (const placeholder of placeholders) {
	console.error(`Not published: ${placeholder} in package.json, which stands for the real one.`);
}
if (placeholders.length > 0) {
	console.error('Enter the real ones there and run `npm run docs`, which changes all links.');
	process.exitCode = 1;
}
