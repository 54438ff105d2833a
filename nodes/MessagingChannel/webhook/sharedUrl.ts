import { createHmac } from 'crypto';
import { jsonParse } from 'n8n-workflow';

import { areSameMac } from '../api/signedHeader';
import { combined, type Registration, type Subscriber, type Subscribers } from './subscribers';
import { sharingKeyOf } from './sharingKey';
import { areSameUrl, normalUrl } from './url';
import { parseUrl } from '../api/baseUrl';

/** The service keeps URLs with this parameter, so its name must not change. */
export const SUBSCRIBERS_PARAMETER = 'subscribers';

/** Longer URLs do not pass every proxy. */
const MAX_URL_LENGTH = 2_000;

/** The events of a webhook (API spec, "Events"), by their position in the URL. The order must not change. */
export const ALL_EVENTS = [
	'message.received',
	'message.sent',
	'message.status',
	'connection.connected',
	'connection.disconnected',
];

/** The account has more subscribers than its webhook URL can name. */
export class TooManySubscribers extends Error {}

/** A URL without the parts that may hold a secret: a user name and a password, and a query. */
export function shownUrl(url: string): string {
	return url.replace(/[?#].*/s, '').replace(/:\/\/[^/]*@/, '://');
}

/** A URL without its query. */
export function withoutQuery(url: string): string {
	return url.split('?')[0] ?? url;
}

/**
 * What to register for some subscribers:
 * - a single workflow that takes no answers: its own URL
 * - only other systems: the URL of the first, which gets its webhook back, because they forward nothing
 * - otherwise: the URL of the hub, with all subscribers in its query
 *
 * The service stores the list, so it survives restarts, and every process of n8n gets it with each delivery. It is signed,
 * because the service signs only the body of a delivery. It consists of unreserved characters, which no service encodes.
 *
 * @param subscribers at least one
 * @throws TooManySubscribers if the URL would be too long
 */
export function registrationOf(subscribers: Subscribers, secret: string): Registration {
	const [hub, ...others] = subscribers as [Subscriber, ...Subscribers];
	const isAlone = others.length === 0 && hub.kind === 'workflow' && hub.answerTag === undefined;
	if (hub.kind === 'external' || isAlone) {
		const { url, events, timeoutSeconds } = hub;
		return { url, events, timeoutSeconds };
	}
	const list = subscribers.map((each) => encode(each, hub.url)).join('~');
	const url = `${hub.url}?${SUBSCRIBERS_PARAMETER}=${list}~${listMacOf(hub.url, list, secret)}`;
	if (url.length > MAX_URL_LENGTH) throw new TooManySubscribers();
	return { url, ...combined(subscribers) };
}

const SIGNED_LIST = /^(?<list>.+)~(?<mac>[\w-]+)$/;

/** The subscribers in a URL, and whether this secret signed them. */
export interface SignedSubscribers {
	subscribers: Subscribers;
	isSigned: boolean;
}

/**
 * Reads the subscribers from the query of the hub's URL.
 *
 * @param hubUrl the URL of the hub, without its query
 * @param value the value of the parameter `subscribers`
 * @returns undefined if the value is not a list
 */
export function readSubscribers(
	hubUrl: string,
	value: unknown,
	secret: string,
): SignedSubscribers | undefined {
	const match = typeof value === 'string' ? SIGNED_LIST.exec(value) : undefined;
	if (!match) return undefined;
	const { list, mac } = match.groups as Record<'list' | 'mac', string>;
	const subscribers = list.split('~').map((entry, index) => decode(entry, hubUrl, index === 0));
	if (subscribers.some((subscriber) => subscriber === undefined)) return undefined;
	const isSigned = secret !== '' && areSameMac(listMacOf(hubUrl, list, secret), mac);
	return { subscribers: subscribers as Subscriber[], isSigned };
}

/** Reads the subscribers from a whole URL. */
export function subscribersIn(url: string, secret: string): SignedSubscribers | undefined {
	return readSubscribers(withoutQuery(url), listIn(url), secret);
}

/** The list of subscribers in a URL, which need not be one; undefined if there is none. */
export function listIn(url: string): string | undefined {
	return parseUrl(url)?.searchParams.get(SUBSCRIBERS_PARAMETER) ?? undefined;
}

function listMacOf(hubUrl: string, list: string, secret: string): string {
	const mac = createHmac('sha256', sharingKeyOf(secret))
		.update(`${normalUrl(hubUrl)}\n${list}`)
		.digest();
	return mac.subarray(0, 16).toString('base64url');
}

/** Most subscribers are workflows of one n8n, whose URLs differ in one part only. */
function encode(subscriber: Subscriber, hubUrl: string): string {
	const parts = pathParts(subscriber.url);
	const hubParts = pathParts(hubUrl);
	const isSibling = parts && hubParts && parts.before === hubParts.before && parts.after === hubParts.after;
	const id = areSameUrl(subscriber.url, hubUrl) ? '' : isSibling ? parts.id : undefined;
	return id !== undefined && isPlain(subscriber) ? plain(id, subscriber) : encodeFully(subscriber);
}

function plain(id: string, { events, timeoutSeconds }: Registration): string {
	const mask = events.reduce((sum, event) => sum | (1 << ALL_EVENTS.indexOf(event)), 0);
	return `${id}.${mask.toString(36)}.${timeoutSeconds}`;
}

function isPlain({ kind, events, timeoutSeconds, answerTag }: Subscriber): boolean {
	return (
		kind === 'workflow' &&
		answerTag === undefined &&
		/^\d+$/.test(String(timeoutSeconds)) &&
		events.every((event) => ALL_EVENTS.includes(event))
	);
}

function encodeFully({ url, kind, events, timeoutSeconds, expiresAt, answerTag }: Subscriber): string {
	const tag = answerTag === undefined ? [] : [answerTag];
	const json = JSON.stringify([url, kind, events, timeoutSeconds, expiresAt, ...tag]);
	return `_${Buffer.from(json).toString('base64url')}`;
}

const PLAIN_ENTRY = /^(?<id>[A-Za-z\d-]*)\.(?<mask>[\da-z]+)\.(?<seconds>\d+)$/;

function decode(entry: string, hubUrl: string, isHub: boolean): Subscriber | undefined {
	if (entry.startsWith('_')) return decodeFully(entry.slice(1));
	const match = PLAIN_ENTRY.exec(entry);
	if (!match) return undefined;
	const { id, mask, seconds } = match.groups as Record<'id' | 'mask' | 'seconds', string>;
	const parts = pathParts(hubUrl);
	if (isHub !== (id === '') || (!isHub && !parts)) return undefined;
	const bits = parseInt(mask, 36);
	return {
		url: isHub || !parts ? hubUrl : `${parts.before}${id}${parts.after}`,
		kind: 'workflow',
		events: ALL_EVENTS.filter((_, position) => (bits >> position) & 1),
		timeoutSeconds: Number(seconds),
	};
}

function decodeFully(encoded: string): Subscriber | undefined {
	const value = jsonParse<unknown>(Buffer.from(encoded, 'base64url').toString(), { fallbackValue: null });
	if (!Array.isArray(value)) return undefined;
	const [url, kind, events, timeoutSeconds, expiresAt, answerTag] = value as unknown[];
	if (typeof url !== 'string' || !parseUrl(url) || !isKind(kind)) return undefined;
	if (!Array.isArray(events) || typeof timeoutSeconds !== 'number') return undefined;
	return {
		url,
		kind,
		events: events.map(String),
		timeoutSeconds,
		...(typeof expiresAt === 'number' && { expiresAt }),
		...(typeof answerTag === 'string' && { answerTag }),
	};
}

function isKind(value: unknown): value is Subscriber['kind'] {
	return value === 'workflow' || value === 'test' || value === 'external';
}

const TRIGGER_URL = /^(?<before>.*\/)(?<id>[A-Za-z\d-]+)(?<after>\/[^/?]*)$/;

/** The parts of a trigger's URL: its ID stands before the last part of the path. */
function pathParts(url: string): Record<'before' | 'id' | 'after', string> | undefined {
	return TRIGGER_URL.exec(normalUrl(url))?.groups as Record<'before' | 'id' | 'after', string> | undefined;
}
