import { parse } from 'node:querystring';
import express, { type Request, type Response } from 'express';
import isPlainObject from 'lodash/isPlainObject';

import { ApiError, invalid, notFound } from './core/apiError';
import { API_PATH } from './apiPath';
import type { CheckedRequest, Reply } from './core/call';
import { commonHeaders, retryAfter } from './commonHeaders';
import type { FaultEffect } from './core/faults';
import type { RequestRecord } from './core/requestLog';
import { checkBody, checkUrl, problemOfAnswer } from './core/description';
import type { Documented } from './core/documentedOperations';
import { handlerOf } from './handlers';
import { answerInDialect, documentedQuery, idFromDialect } from './core/dialects';
import { readForm, type Form } from './core/multipart';
import type { Permission } from './core/records';
import { bodyForLog } from './core/requestLog';
import type { Route } from './core/routes';
import type { Runtime } from './core/runtime';
import { spoil } from './spoil';
import { faultOfTestNumber } from './testNumbers';

const parseJson = express.json({ limit: '16mb', strict: false, type: () => true });

interface Context {
	runtime: Runtime;
	request: Request;
	response: Response;
	record: RequestRecord;
	/** Below the base URL. */
	path: string;
	route: Route | undefined;
}

interface Body {
	json?: unknown;
	form?: Form;
	problem?: ApiError;
}

function open(runtime: Runtime, request: Request, response: Response): Context {
	const [path = '', query = ''] = request.originalUrl.split(/\?(.*)/s);
	const below = path.startsWith(`${API_PATH}/`) ? path.slice(API_PATH.length) : undefined;
	const record = runtime.log.open({
		method: request.method,
		path,
		query: { ...(parse(query) as RequestRecord['query']) },
		headers: request.headers,
		rawHeaders: request.rawHeaders,
	});
	const route = below === undefined ? undefined : runtime.routes.find(request.method, below);
	record.operationId = route?.operation.operationId ?? null;
	return { runtime, request, response, record, path: below ?? path, route };
}

const hasBody = ({ headers }: Request): boolean =>
	headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const readJson = (request: Request, response: Response): Promise<unknown> =>
	new Promise((resolve, reject) => {
		parseJson(request, response, (error?: unknown) => {
			if (!error) return resolve(request.body);
			const { status, message } = error as { status?: number; message: string };
			if (status === 413) reject(new ApiError(413, 'validation_error', 'The body is larger than 16 MB.'));
			else reject(invalid(`The body is not valid JSON: ${message}.`));
		});
	});

const bodyTypes = ({ requestBody }: Documented): string[] => Object.keys(requestBody?.content ?? {});

async function read({ request, response, route }: Context): Promise<Body> {
	if (!hasBody(request)) return {};
	const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
	const accepts = route ? bodyTypes(route.operation) : [];
	try {
		if (accepts.includes(type) && type === 'multipart/form-data') {
			return { form: await readForm(request) };
		}
		if (type === 'application/json') return { json: await readJson(request, response) };
	} catch (error) {
		return { problem: error as ApiError };
	}
	request.resume();
	return { problem: invalid(`The Content-Type must be ${accepts.join(' or ') || 'left out'}.`) };
}

function note(record: RequestRecord, { json, form }: Body): void {
	record.body = bodyForLog(json);
	if (!form) return;
	record.multipart = { fields: form.fields };
	if (!form.file) return;
	const { filename, mimetype, size, sha256 } = form.file;
	record.multipart.file = { filename, mimetype, size, sha256 };
}

/** "Authentication 1 and 2" */
function authenticate({ runtime, request }: Context): Set<Permission> {
	const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
	const permissions = key === undefined ? undefined : runtime.keys.get(key);
	if (!permissions) throw new ApiError(401, 'invalid_api_key', 'The API key is missing or invalid.');
	return permissions;
}

function decodePath(path: Record<string, string>): Record<string, string> {
	try {
		return Object.fromEntries(Object.entries(path).map(([name, text]) => [name, decodeURIComponent(text)]));
	} catch {
		throw invalid('The path is not properly encoded.');
	}
}

function requireBody(operation: Documented, { json, form, problem }: Body): void {
	if (bodyTypes(operation).length === 0) {
		const empty = json === undefined || (typeof json === 'object' && json && Object.keys(json).length === 0);
		if (!empty || form || problem) throw invalid('This call takes no body.');
		return;
	}
	if (problem) throw problem;
	if (json === undefined && !form) throw invalid('The body is required.');
}

async function decide(context: Context, body: Body): Promise<Reply> {
	const { runtime, route, record } = context;
	const permissions = authenticate(context);
	if (!runtime.rateLimiter.take()) {
		throw new ApiError(429, 'rate_limit_exceeded', 'The rate limit is exceeded; wait for X-RateLimit-Reset.');
	}
	if (!route) throw notFound(`${record.method} ${record.path}`);
	const { operation } = route;
	const { operationId, 'x-permission': permission } = operation;
	if (permission !== 'valid-key' && !permissions.has(permission as Permission)) {
		throw new ApiError(403, 'forbidden', `The API key lacks the permission ${permission}.`);
	}
	requireBody(operation, body);

	const path = decodePath(route.path);
	const { dialect } = runtime.settings;
	if (path.messageId)
		path.messageId = idFromDialect(dialect, path.messageId, runtime.store.messagesById.keys());
	const query = documentedQuery(dialect, record);
	// A copy, because defaults are filled in and the log must keep the body as it came.
	const { json, form } = body;
	const copy: unknown = isPlainObject(json) ? { ...(json as object) } : json;
	checkUrl(operation, { path, query });
	if (copy !== undefined) checkBody(operation, 'application/json', copy);
	if (form) checkBody(operation, 'multipart/form-data', { ...form.fields, ...(form.file && { file: '' }) });
	const call: CheckedRequest = { runtime, operationId, path, query, body: copy, form };
	return handlerOf(operationId)(call as CheckedRequest<never, never>);
}

function errorReply(error: ApiError): Reply {
	const { status, code, message, extra } = error;
	return { status, json: { success: false, error: code, message, ...extra } };
}

/** An answer this service should never give: loud, and kept for `control.defects()`. */
function defect(runtime: Runtime, problem: string): Reply {
	console.error(`Defect of the reference service: ${problem}`);
	runtime.defects.push(problem);
	return errorReply(new ApiError(500, 'internal_error', `Defect of the reference service: ${problem}`));
}

async function replyTo(context: Context, body: Body): Promise<Reply> {
	const { runtime, route } = context;
	const reply = await decide(context, body).catch((error: unknown) =>
		error instanceof ApiError
			? errorReply(error)
			: defect(runtime, error instanceof Error ? (error.stack ?? error.message) : String(error)),
	);
	if (!route || !('json' in reply)) return reply;
	const problem = problemOfAnswer(route.operation, reply.status, reply.json);
	return problem === undefined ? reply : defect(runtime, problem);
}

function write({ runtime, response, record }: Context, reply: Reply): void {
	response.set(commonHeaders(runtime));
	if (reply.status === 429) response.set(retryAfter(runtime));
	if ('json' in reply) {
		const answer = answerInDialect(runtime.settings.dialect, record, reply.json);
		runtime.log.noteAnswer(record, answer);
		// Closed first, so that a caller who has the answer finds it in the log.
		runtime.log.close(record, reply.status);
		response.status(reply.status).json(answer);
		return;
	}
	response.on('close', () => {
		runtime.log.close(record, response.writableFinished ? reply.status : null);
		reply.stream.destroy();
	});
	response.status(reply.status).set(reply.headers);
	reply.stream.pipe(response);
}

/** So long nothing is held back: a test that waits in vain fails rather than hangs. */
const LONGEST_HOLD_MS = 60_000;

/** Waits if the fault is a pause, which is all that happens then. */
async function pause({ faults, timers }: Runtime, effect: FaultEffect): Promise<boolean> {
	if (effect.kind === 'delay') await timers.wait(effect.ms);
	else if (effect.kind === 'hold') await Promise.race([faults.held(effect), timers.wait(LONGEST_HOLD_MS)]);
	else return false;
	return true;
}

/** A segment of a path, also when it is not properly encoded. */
function decodeLoosely(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

/** Answers every request of the API, as the description says or as a fault commands. */
export async function serve(runtime: Runtime, request: Request, response: Response): Promise<void> {
	const context = open(runtime, request, response);
	const { record } = context;
	response.on('close', () => runtime.log.close(record, null));
	const body = await read(context);
	note(record, body);
	const { method } = request;
	const { operationId } = record;
	const subject = { operationId, method, path: context.path, body: body.json ?? body.form?.fields };

	const { path, query } = record;
	const texts = [
		...path.split('/').map(decodeLoosely),
		...Object.values(query),
		...Object.values(subject.body ?? {}),
	];
	const before = runtime.faults.find('before', subject) ?? faultOfTestNumber(texts);
	if (before) {
		record.fault = before.kind;
		if (!(await pause(runtime, before))) return await spoil(runtime, record, response, before);
	}
	const reply = await replyTo(context, body);
	record.accepted = reply.status < 300;
	if (!record.accepted && 'json' in reply) record.refusal = reply.json as RequestRecord['refusal'];
	const after = record.accepted ? runtime.faults.find('after', subject) : undefined;
	if (after) {
		record.fault = after.kind;
		if (!(await pause(runtime, after))) return await spoil(runtime, record, response, after, reply);
	}
	write(context, reply);
}
