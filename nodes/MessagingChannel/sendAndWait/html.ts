import { createHash } from 'crypto';

/** Text that is already HTML. */
export class Html {
	constructor(readonly source: string) {}
}

/** A value that can be inserted into HTML; undefined inserts nothing. */
export type Part = string | number | Html | Part[] | undefined;

/** A template tag for HTML. Escapes every inserted value except `Html`. */
export function markup(strings: TemplateStringsArray, ...parts: Part[]): Html {
	return new Html(strings.map((text, index) => text + sourceOf(parts[index])).join(''));
}

function sourceOf(part: Part): string {
	if (part instanceof Html) return part.source;
	if (Array.isArray(part)) return part.map(sourceOf).join('');
	return String(part ?? '').replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; --page: #eef1f4; --edge: #d5dbe1; --card: #fff; --line: #8a949e; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --edge: #353b41; --card: #1e2328; --line: #76818b; --wrong: #ffb4ab; } }
body { margin: 0; padding: 1.5rem 1rem; background: var(--page); }
main { box-sizing: border-box; max-width: 34rem; margin: 0 auto; padding: 1.5rem; border: 1px solid var(--edge); border-radius: .8rem; background: var(--card); }
h1 { margin-top: 0; font-size: 1.4rem; line-height: 1.25; }
p, legend, label { overflow-wrap: anywhere; }
.message { white-space: pre-wrap; }
.answer { font-weight: 600; }
.field { margin: 1.25rem 0; border: 0; padding: 0; }
label, legend { display: block; font-weight: 600; padding: 0; }
label.choice { font-weight: 400; padding: .35rem 0; }
input:not([type=radio], [type=checkbox]), select, textarea, button { box-sizing: border-box; width: 100%; min-height: 3rem; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem; font: inherit; }
.wrong { margin: .25rem 0 0; color: var(--wrong); }
button { border-color: #1f4fd8; background: #1f4fd8; color: #fff; font-weight: 600; }
button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid #f0a020; outline-offset: 2px; }
`;

/**
 * A complete page, without external resources or scripts.
 *
 * @param language the language of its texts, as a BCP 47 tag
 */
export function pageOf(title: string, content: Html, language = 'en'): string {
	return markup`<!doctype html><html lang="${language}" dir="auto"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`.source;
}

/**
 * The response headers of every page. They give the page an opaque origin, and forbid external resources, scripts and
 * frames. They also hide the URL from other sites, because whoever knows the URL can answer.
 */
export const PAGE_HEADERS: Record<string, string> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': [
		'sandbox allow-forms',
		"default-src 'none'",
		`style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join('; '),
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'Cache-Control': 'no-store',
};
