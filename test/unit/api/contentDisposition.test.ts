// cspell:ignore Epng Fcat Ccat xfilename
import { fileNameIn } from '../../../nodes/MessagingChannel/api/contentDisposition';

/** A header as Node gives it: one character for each byte. */
const raw = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('the name of a file', () => {
	test.each([
		// As RFC 6266 has it, section 4.1.
		['attachment; filename="cat.png"', 'cat.png'],
		['attachment; filename=cat.png', 'cat.png'],
		['attachment; filename=cat.png ; size=4', 'cat.png'],
		['inline; filename="a cat; two.png"; size=4', 'a cat; two.png'],
		['ATTACHMENT; FILENAME="cat.png"', 'cat.png'],
		['attachment;filename = "cat.png"', 'cat.png'],
		['attachment ;\tfilename\t=\tcat.png', 'cat.png'],
		['attachment; filename="a \\"cat\\".png"', 'a "cat".png'],
		['attachment; filename="c\\at.png"', 'cat.png'],
		['attachment; filename="one.png"; filename="two.png"', 'one.png'],
		// Written wrongly, and understood all the same.
		['filename="cat.png"', 'cat.png'],
		['attachment; filename=my cat.png', 'my cat.png'],
		['attachment; filename="cat.png', 'cat.png'],
		['attachment;; filename="cat.png";', 'cat.png'],
		[raw('attachment; filename="çay 猫.png"'), 'çay 猫.png'],
		['attachment; filename="\u00e7ay.png"', 'çay.png'],
	])('in %j is %j', (header, expected) => {
		expect(fileNameIn(header)).toBe(expected);
	});

	test.each([
		// As RFC 8187 has it, section 3.2.
		['attachment; filename="cat.png"; filename*=UTF-8\'\'%C3%A7ay%20%E7%8C%AB.png', 'çay 猫.png'],
		["attachment; filename*=UTF-8''cat.png; filename=dog.png", 'cat.png'],
		["attachment; filename*=utf-8'tr'%c3%a7ay.png", 'çay.png'],
		["attachment; filename*=ISO-8859-1''%E7ay%20%A3.png", 'çay £.png'],
		["attachment; filename*=UTF-8''a%3Bb%22c%27.png", 'a;b"c\'.png'],
		["attachment; filename*=ISO-8859-10''%C3%A7ay.png", 'çay.png'],
		// Written wrongly, and understood all the same.
		["attachment; filename*=utf8''%C3%A7ay.png", 'çay.png'],
		['attachment; filename*="UTF-8\'\'%C3%A7ay.png"', 'çay.png'],
		[raw("attachment; filename*=UTF-8''çay.png"), 'çay.png'],
		// Not to be understood: then the plain one counts, or at least what stands there.
		["attachment; filename*=UTF-8''%E0%A4%A; filename=cat.png", 'cat.png'],
		["attachment; filename*=UTF-8''%E0%A4%A", '%E0%A4%A'],
		['attachment; filename*=cat%2Epng; filename=dog.png', 'dog.png'],
	])('that is extended in %j is %j', (header, expected) => {
		expect(fileNameIn(header)).toBe(expected);
	});

	test.each([
		['attachment; filename="../../etc/passwd"', 'passwd'],
		['attachment; filename="C:\\\\temp\\\\cat.png"', 'cat.png'],
		["attachment; filename*=UTF-8''..%2F..%2Fcat.png", 'cat.png'],
		["attachment; filename*=UTF-8''..%5Ccat.png", 'cat.png'],
		["attachment; filename*=UTF-8''cat%00%0D%0A.png", 'cat.png'],
		['attachment; filename=" cat.png "', 'cat.png'],
		["attachment; filename*=UTF-8''..; filename=cat.png", 'cat.png'],
		['attachment; filename=".htaccess"', '.htaccess'],
	])('in %j is without folders and what no name can hold: %j', (header, expected) => {
		expect(fileNameIn(header)).toBe(expected);
	});

	test.each([
		['attachment'],
		['attachment; filename=""'],
		['attachment; filename=".."'],
		['attachment; filename="cats/"'],
		['attachment; xfilename="cat.png"'],
		['attachment; filename*0="cat.png"'],
		['attachment; title="; filename=cat.png"'],
		['attachment; title="a \\"; filename=cat.png"'],
		['attachment; filename'],
		['attachment filename=cat.png'],
		[''],
		[undefined],
		[['attachment; filename=cat.png']],
	])('is not in %j', (header) => {
		expect(fileNameIn(header)).toBeUndefined();
	});
});

test.each(['"', ';', '\\"', 'filename="', ' =', "''", '%'])(
	'a header full of %j is read to its end',
	(text) => {
		const full = text.repeat(16_000);
		expect(() => fileNameIn(`attachment; filename*=${full}; filename=${full}`)).not.toThrow();
	},
);
