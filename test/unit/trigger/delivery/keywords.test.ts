// Words of many languages.
// cspell:disable
import type { IDataObject } from 'n8n-workflow';

import { parseMessage } from '../../../../nodes/MessagingChannel/api/message';
import { hasKeyword, keywordsIn } from '../../../../nodes/MessagingChannel/trigger/delivery/keywords';

const has = (keyword: string, message: string | IDataObject) =>
	hasKeyword(parseMessage(typeof message === 'string' ? { body: message } : message), keywordsIn(keyword));

describe.each<[string, Array<[keyword: string, text: string]>]>([
	[
		'case, accents and letters that people write for each other',
		[
			['price', 'What is the PRICE?'],
			['Café', 'the CAFE is open'],
			['cafe', 'the cafe\u0301 is open'],
			['são paulo', 'Sao Paulo'],
			['Straße', 'in der STRASSE'],
			['STRAẞE', 'in der straße'],
			['Łódź', 'do lodz'],
			['smørrebrød', 'smorrebrod'],
			['Đà Nẵng', 'da nang'],
			['œuvre', 'OEUVRE'],
			['ΟΔΟΣ', 'οδός'],
			['ещё', 'ЕЩЕ раз'],
			['замок', 'за\u0301мок'],
			['कीमत', 'क\u093cीमत'],
		],
	],
	[
		'the Turkish i',
		['İzmir', 'izmir', 'IZMIR', 'ızmır'].flatMap((keyword) =>
			['İZMİR', 'IZMIR', 'izmir', 'ızmir', 'i\u0307zmir'].map((text): [string, string] => [keyword, text]),
		),
	],
	[
		'variants of characters',
		[
			['price', '\uff30\uff32\uff29\uff23\uff25 \uff1f'],
			['price', '𝐩𝐫𝐢𝐜𝐞'],
			['ガス', 'ｶﾞｽ'],
			['1', '１'],
			['1', '\u0661'],
			['1', '1\ufe0f\u20e3'],
			['price', '1\ufe0f\u20e3price2\u20e3cost'],
			['12', 'no.1\ufe0f\u20e32\ufe0f\u20e3'],
			['price', 'pri\u00adce'],
			['pri\u200bce', 'price'],
		],
	],
	[
		'Arabic and Hebrew',
		[
			['\u0633\u0639\u0631', '\u0633\u0650\u0639\u0652\u0631'],
			['\u0633\u0639\u0631', '\u0633\u0640\u0640\u0639\u0631'],
			['\u0633\u0639\u0631', '\ufeb3\ufecc\ufeae\u061f'],
			['\u0623\u0633\u0639\u0627\u0631', '\u0627\u0633\u0639\u0627\u0631'],
			['\u0622\u0633\u0641', '\u0627\u0633\u0641'],
			['\u0671\u0644\u0633\u0639\u0631', '\u0627\u0644\u0633\u0639\u0631'],
			['\u0645\u0633\u062a\u0634\u0641\u0649', '\u0645\u0633\u062a\u0634\u0641\u064a'],
			['\u0641\u0627\u062a\u0648\u0631\u0629', '\u0641\u0627\u062a\u0648\u0631\u0647'],
			['\u06a9\u06cc', '\u0643\u064a'],
			['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u0645\u06cc\u062e\u0648\u0627\u0647\u0645'],
			['\u05de\u05d7\u05d9\u05e8', '\u05de\u05b0\u05d7\u05b4\u05d9\u05e8?'],
		],
	],
	[
		'spaces and punctuation',
		[
			['good morning', 'Good  \n morning!'],
			['good  morning', 'good\u00a0morning'],
			['yes please', 'Yes, please.'],
			['check-in', 'check in'],
			['check in', 'check\u2011in'],
			['price?', '(price)'],
			['“price”', '*Price*:'],
			['price', '¿price?'],
			['price', '_price_ ~old~'],
			['price', 'price/cost'],
			['price,', 'price'],
			['/start', '/start now'],
			['#order', 'my #Order'],
			['C++', 'in c++?'],
			['€', '5€'],
			['3.5', 'size 3.5.'],
		],
	],
	[
		'apostrophes',
		[
			["don't", 'I don\u2019t know'],
			["don't", 'DON\u00b4T'],
			["don't", 'dont'],
			['dont', "don't"],
			['İzmir', "İzmir'de"],
			['izmir', 'İZMİR’DE'],
			['hôtel', 'l’hotel'],
			['Ada', "Ada's"],
		],
	],
	[
		'emoji',
		[
			['👍', 'ok👍'],
			['👍', '👍🏽👍🏽'],
			['👍🏿', '👍'],
			['❤️', '❤'],
			['ok 👍', 'ok👍'],
			['👩‍🚀', 'a 👩‍🚀!'],
			['👩🏽‍🚀', '👩‍🚀'],
			['🇹🇷', '🇺🇸🇹🇷'],
			['ℹ️', 'more ℹ'],
			['⁉️', 'really⁉️'],
			['〽️', 'ok〽'],
		],
	],
	[
		'scripts without spaces, and Korean, anywhere',
		[
			['价格', '请问价格是多少'],
			['ราคา', 'ขอราคาหน่อย'],
			['料金', '料金はいくらですか'],
			['ケーキ', 'チーズケーキ'],
			['가격', '가격이 얼마예요'],
			['LINE', '私のLINEです'],
			['5', '5個'],
		],
	],
	[
		'the number of the account, as it is mentioned',
		[
			['+90 555 123 45 67', 'hello @905551234567'],
			['@905551234567', '@905551234567, please'],
			['905551234567', '@905551234567'],
			['+52 55 1234 5678', '@5215512345678 hola'],
			['@+90 555 123 45 67', 'hello @905551234567'],
			['Acme Bot', '@Acme Bot, help'],
		],
	],
])('%s', (_, pairs) => {
	test.each(pairs)('%j is found in %j', (keyword, text) => {
		expect(has(keyword, text)).toBe(true);
	});
});

test.each([
	['price', 'prices'],
	['price', 'subprice'],
	['price', 'price5'],
	['good morning', 'good evening, morning'],
	['good morning', 'morning good'],
	['can', "I can't"],
	['don', 'don’t'],
	['5', '15'],
	['5', '5kg'],
	['1', '1.5'],
	['5', '1,5'],
	['10', '1.0'],
	['کتاب', 'کتابخانه'],
	['क', 'कि'],
	['か', 'が'],
	['мой', 'мои'],
	['❤️', '❤️‍🔥'],
	['👩', '👩‍🚀'],
	['🚀', '👩‍🚀'],
	['🇸🇹', '🇺🇸🇹🇷'],
	['ℹ️', 'I am'],
	['#order', 'order'],
	['C++', 'vitamin c'],
	['+90 555 123 45 67', '@905551234568'],
	['+90@555 123 45 67', '@905551234567'],
	['+90 555 123 45 67', '@9055512345671'],
	['+90 555 123 45 67', '123456789012345905551234567'],
	['price', ''],
	['price', '   '],
])('%j is not found in %j', (keyword, text) => {
	expect(has(keyword, text)).toBe(false);
});

test('a character that is 18 letters is compared as one: n8n would stand still for seconds with thousands', () => {
	expect(has('\uFDFA', 'A\uFDFAB \uFDFA.')).toBe(true);
	expect(has('\u0635\u0644\u0649', '\uFDFA')).toBe(false);
});

test('of a letter, 30 marks count: n8n would stand still for seconds to order thousands', () => {
	const [few, many] = [31, 99].map((count) => `क${'\u0323\u0301'.repeat(count)}`) as [string, string];
	const vowels = `क${'\u093F'.repeat(99)}`;
	expect([has(few, many), has('क', vowels)]).toEqual([true, false]);
});

test.each<[IDataObject, boolean]>([
	[{ body: 'Hi', caption: 'price' }, true],
	[{ media: { caption: 'The price' } }, true],
	[{ body: null, media: null }, false],
	[{ body: 'Hi', quoted: { body: 'price' }, quoted_body: 'price' }, false],
])('of the message %j, texts and captions count: %s', (message, expected) => {
	expect(has('price', message)).toBe(expected);
});

test.each([
	['cost, price', true],
	['cost\nprice', true],
	['cost\uff0c price', true],
	['cost\u060cprice', true],
	['cost\u3001price', true],
	['cost; price', true],
	['cost\uff1bprice', true],
	['cost\u061bprice', true],
	['cost price', false],
	['5', false],
])('%j is several keywords: %s', (entry, expected) => {
	expect(has(entry, 'price')).toBe(expected);
});

test('a message with one of several keywords has one', () => {
	const keywords = ['price', 'order'].flatMap(keywordsIn);
	expect(
		['an order', 'a price', 'hello'].map((body) => hasKeyword(parseMessage({ body }), keywords)),
	).toEqual([true, true, false]);
});

test.each([
	['', "''"],
	[' ', "' '"],
	['?', "'?'"],
	['price, ?', "'price, ?'"],
	['\u200b', "'\u200b'"],
	[',', "','"],
])('the entry %j is refused', (entry, shown) => {
	expect(() => ['price', entry].flatMap(keywordsIn)).toThrow(
		`'Keywords' has an entry without a word: ${shown}. Enter a word, a number or an emoji, or delete the entry.`,
	);
});
