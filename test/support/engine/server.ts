import express, { type Request, type Response } from 'express';
import type { Server } from 'node:http';

import { close, createHttpServer, listen } from '../localServer';

/** A server in place of n8n's, for the tests of one file. A test during which it fails fails. */
export function useServer(take: (request: Request, response: Response) => Promise<void>) {
	let server: Server;
	let url = '';
	const failures: unknown[] = [];
	beforeAll(async () => {
		server = createHttpServer(
			express().use((request, response) => {
				take(request, response).catch((error: unknown) => {
					failures.push(error);
					response.destroy();
				});
			}),
		);
		url = await listen(server);
	});
	afterEach(() => expect(failures.splice(0)).toEqual([]));
	afterAll(async () => await close(server));
	return {
		get url() {
			return url;
		},
	};
}
