import express from 'express';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { close, listen } from '../localServer';
import { createAuthority } from '../tls/certificates';

/** One cell as Google's API gives it. */
export type Cell = string | number;

/** As much of Google Sheets as n8n's node needs to read a sheet and to write into its cells. */
export interface GoogleSheets {
	/** The environment of an n8n whose requests to Google come here, by way of a proxy. */
	readonly env: Record<string, string>;
	/** What a service account's credential in n8n holds. */
	readonly account: ICredentialDataDecryptedObject;
	/** The only spreadsheet. */
	readonly documentId: string;
	/** Replaces all rows; the first one holds the names of the columns. */
	enter(rows: Cell[][]): void;
	/** The rows below the names of the columns. */
	rows(): Cell[][];
	stop(): Promise<void>;
}

const HOSTS = ['sheets.googleapis.com', 'oauth2.googleapis.com'];
const DOCUMENT_ID = 'spreadsheet-1';
/** Its only sheet. */
const SHEET_NAME = 'Customers';
const DOCUMENT_PATH = `/v4/spreadsheets/${DOCUMENT_ID}`;

/** Starts an empty spreadsheet. */
export async function startGoogleSheets(): Promise<GoogleSheets> {
	let cells: Cell[][] = [];
	const token = randomUUID();

	/** Writes the one value of a cell such as `Customers!C2`. */
	const write = (range: string, values: Cell[][]): void => {
		const [, sheet, letter = '', number] = /^'?(\w+)'?!([A-Z])(\d+)$/.exec(range) ?? [];
		const value = values[0]?.[0];
		const row = cells[Number(number) - 1];
		if (sheet !== SHEET_NAME || !row || value === undefined) throw new Error(`No such cell: ${range}`);
		const column = letter.charCodeAt(0) - 'A'.charCodeAt(0);
		while (row.length < column) row.push('');
		row[column] = value;
	};

	const app = express().use(express.json());
	app.post('/token', (_request, response) => {
		response.json({ access_token: token, token_type: 'Bearer', expires_in: 3600 });
	});
	app.use(({ headers }, response, next) => {
		if (headers.authorization === `Bearer ${token}`) next();
		else response.status(401).json({ error: { code: 401, message: 'No access token' } });
	});
	app.get(DOCUMENT_PATH, (_request, response) => {
		response.json({ sheets: [{ properties: { sheetId: 0, title: SHEET_NAME } }] });
	});
	// A sheet's name may stand in quotes.
	app.get(
		[SHEET_NAME, `'${SHEET_NAME}'`].map((name) => `${DOCUMENT_PATH}/values/${name}`),
		(_, response) => {
			response.json({ values: cells });
		},
	);
	app.post(`${DOCUMENT_PATH}/values\\:batchUpdate`, ({ body }, response) => {
		const { data } = body as { data: Array<{ range: string; values: Cell[][] }> };
		for (const { range, values } of data) write(range, values);
		response.json({});
	});

	const authority = createAuthority();
	const google = createTlsServer(authority.issue({ hosts: HOSTS }), app);
	const sockets = new Set<Socket>();
	const proxy = createServer().on('connect', ({ url }: IncomingMessage, socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		const [host = ''] = (url ?? '').split(':');
		if (!HOSTS.includes(host)) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
		socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		return google.emit('connection', socket);
	});
	const proxyUrl = await listen(proxy);
	const folder = await mkdtemp(join(tmpdir(), 'google-'));
	const authorityFile = join(folder, 'authority.pem');
	await writeFile(authorityFile, authority.cert);
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

	return {
		env: {
			HTTPS_PROXY: proxyUrl,
			NODE_EXTRA_CA_CERTS: authorityFile,
		},
		account: {
			email: 'n8n@project.example',
			privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		},
		documentId: DOCUMENT_ID,
		enter(rows) {
			cells = structuredClone(rows);
		},
		rows: () => cells.slice(1),
		async stop() {
			for (const socket of sockets) socket.destroy();
			await close(proxy);
			await rm(folder, { recursive: true, force: true });
		},
	};
}
