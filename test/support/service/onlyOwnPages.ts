import type { NextFunction, Request, Response } from 'express';

const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Refuses what pages of other sites make a browser send: the control API asks for no key, and calls any URL. */
export function onlyOwnPages({ headers }: Request, response: Response, next: NextFunction): void {
	const { host = '', origin = `http://${host}` } = headers;
	if (THIS_MACHINE.test(host) && origin === `http://${host}`) next();
	else response.status(403).json({ error: 'Only pages of this service may do that.' });
}
