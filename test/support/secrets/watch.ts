import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join, relative } from 'node:path';

import { filesIn } from '../files';
import { createFinder, type Find, type SecretName } from './finder';

/** A place where a secret has to be, for a reason. */
export interface Exception {
	secret: SecretName;
	/** Fits the name of the place. */
	place: RegExp;
	why: string;
}

/** Looks for the secrets of a world in everything that n8n writes, says and sends. */
export interface SecretWatch {
	/** From now on it is looked for. */
	add(secret: SecretName, text: string): void;
	/** Adds what somebody enters into a credential. */
	enter(credentialType: string, data: { apiKey?: unknown; signingSecret?: unknown }): void;
	/** Expects a secret at a place; when it is not there, that is reported too. */
	allow(exception: Exception): void;
	/** Looks at all of something: what n8n printed, or answered, or keeps in a table. */
	look(place: string, text: string): void;
	/** Looks at a file, or at all files of a folder and its folders; what is not there is passed over. */
	lookAtFiles(path: string): Promise<void>;
	/** Looks at a request that a service receives, before anything has read its body. */
	lookAtRequest(request: IncomingMessage): void;
	/**
	 * Ends the search.
	 *
	 * @throws Error when a secret was found where it has no place, or not found where one was expected
	 */
	conclude(): void;
}

/** A watch that knows no secret yet. */
export function createSecretWatch(): SecretWatch {
	const finder = createFinder();
	const finds = new Map<string, Find & { place: string }>();
	const exceptions: Exception[] = [];
	const keys = new Set<string>();

	const search = (place: string, bytes: Buffer) => {
		for (const find of finder.find(bytes))
			finds.set(`${place} ${find.secret} ${find.form}`, { ...find, place });
	};
	/** For what comes in pieces: a secret can begin in one and end in the next. */
	const searcher = (place: string) => {
		let tail = Buffer.alloc(0);
		return (piece: Buffer) => {
			const bytes = Buffer.concat([tail, piece]);
			search(place, bytes);
			tail = bytes.subarray(-finder.longest());
		};
	};
	const add = (secret: SecretName, text: string) => {
		finder.add(secret, text);
		if (secret === 'API key') keys.add(text);
	};

	return {
		add,
		enter: (credentialType, { apiKey, signingSecret }) => {
			if (credentialType !== 'messagingChannelApi') return;
			if (typeof apiKey === 'string') add('API key', apiKey);
			if (typeof signingSecret === 'string') add('signing secret', signingSecret);
		},
		allow: (exception) => exceptions.push(exception),
		look: (place, text) => search(place, Buffer.from(text)),
		lookAtFiles: async (path) => {
			for (const file of await filesIn(path)) {
				const searchIn = searcher(`the file ${relative(join(path, '..'), file)}`);
				for await (const piece of createReadStream(file, { highWaterMark: 2 ** 22 }))
					searchIn(piece as Buffer);
			}
		},
		lookAtRequest: (request) => {
			const { method, url, rawHeaders } = request;
			const name = `a request to the service, ${method} ${url?.split('?')[0]}`;
			search(`${name}, its URL`, Buffer.from(String(url)));
			for (let at = 0; at < rawHeaders.length; at += 2) {
				const [header = '', value = ''] = rawHeaders.slice(at, at + 2);
				const isKeyInPlace = header.toLowerCase() === 'authorization' && isBearerOf(value, keys);
				if (!isKeyInPlace)
					search(`${name}, its header ${header}`, Buffer.from(`${header}: ${value}`, 'latin1'));
			}
			request.on('data', searcher(`${name}, its body`));
		},
		conclude: () => {
			const isAllowed = ({ secret, place }: typeof finds extends Map<string, infer F> ? F : never) =>
				exceptions.some((exception) => exception.secret === secret && exception.place.test(place));
			const all = [...finds.values()];
			const leaks = all.filter((find) => !isAllowed(find));
			const missed = exceptions.filter(
				({ secret, place }) => !all.some((find) => find.secret === secret && place.test(find.place)),
			);
			const problems = [
				...leaks.map(
					({ secret, place, form, surroundings }) =>
						`The ${secret} is in ${place} (${form}): ${surroundings}`,
				),
				...missed.map(
					({ secret, place, why }) => `The ${secret} is not in ${String(place)}, although: ${why}`,
				),
			];
			if (problems.length > 0) throw new Error(problems.join('\n'));
		},
	};
}

const isBearerOf = (value: string, keys: Set<string>) =>
	value.startsWith('Bearer ') && keys.has(value.slice(7));
