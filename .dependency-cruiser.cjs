/**
 * The order of the floors: each folder of the node uses only those below it, and no folder imports from one that imports
 * from it. Folders of tests share test/support and nothing else; the scripts stand beside them.
 */
const node = '^nodes/MessagingChannel';

/** From the top to the bottom; folders on one floor do not use each other. */
const FLOORS = [
	['actions'],
	['checkSetup'],
	['trigger', 'memory'],
	['fields', 'sendAndWait', 'execution'],
	['n8n'],
	['operation', 'webhook'],
	['api'],
	['recipients'],
];

/** Inside the trigger, in the same order. */
const TRIGGER_FLOORS = [
	['activation'],
	['answers'],
	['catchUp'],
	['delivery'],
	['account'],
	['sharing', 'deduplication', 'combining'],
];

const pathOf = (root, folders) => `${root}/(${folders.join('|')})/`;

/** What a folder on a floor must not import: all floors above it, and its neighbours. A single one at the top may import all. */
function rulesFor(root, floors) {
	return floors.flatMap((folders, floor) =>
		folders.flatMap((folder) => {
			const others = [...floors.slice(0, floor).flat(), ...folders.filter((other) => other !== folder)];
			if (others.length === 0) return [];
			return {
				name: `${folder}-uses-only-what-is-below`,
				severity: 'error',
				from: { path: pathOf(root, [folder]) },
				to: { path: pathOf(root, others) },
			};
		}),
	);
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } },
		{ name: 'no-circular-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
		...rulesFor(node, FLOORS),
		...rulesFor(`${node}/trigger`, TRIGGER_FLOORS),
		{
			name: 'actions-use-the-trigger-only-to-check-the-setup',
			severity: 'error',
			from: { path: `${node}/actions/` },
			to: { path: `${node}/(trigger|memory)/` },
		},
		{
			name: 'sending-does-not-use-the-runner',
			severity: 'error',
			from: { path: `${node}/execution/sending/` },
			to: { path: `${node}/execution/[^/]+\\.ts$` },
		},
		{
			name: 'folders-of-the-trigger-do-not-use-what-joins-them',
			severity: 'error',
			from: { path: `${node}/trigger/[^/]+/` },
			to: { path: `${node}/trigger/[^/]+\\.ts$` },
		},
		{
			name: 'in-chat-does-not-use-the-question',
			severity: 'error',
			from: { path: `${node}/sendAndWait/inChat/` },
			to: { path: `${node}/sendAndWait/[^/]+\\.ts$` },
		},
		{
			name: 'floors-do-not-use-the-node-classes',
			severity: 'error',
			from: { path: `${node}/[^/]+/` },
			to: { path: `${node}/[^/]+\\.ts$` },
		},
		{
			name: 'nodes-do-not-use-the-credential',
			severity: 'error',
			from: { path: '^nodes/' },
			to: { path: '^credentials/' },
		},
		{
			name: 'the-credential-uses-only-the-api',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: `${node}/(?!api/)` },
		},
		{
			name: 'the-product-does-not-use-its-tests',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(test|scripts)/' },
		},
		{
			name: 'tests-share-only-support',
			severity: 'error',
			from: { path: '^test/([^/]+)/' },
			to: { path: '^test/[^/]+/', pathNot: '^test/($1|support)/' },
		},
		{
			name: 'parts-do-not-use-what-joins-them',
			severity: 'error',
			from: { path: '^test/(bench|support/service)/[^/]+/' },
			to: { path: '^test/$1/[^/]+\\.ts$' },
		},
		{
			name: 'support-knows-no-test',
			severity: 'error',
			from: { path: '^test/support/' },
			to: { path: '^(test/(?!support/)|scripts/)' },
		},
		{
			name: 'tests-do-not-use-scripts',
			severity: 'error',
			from: { path: '^test/' },
			to: { path: '^scripts/' },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(dist|\\.n8n|coverage|test/support/n8n/versions)/' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
	},
};
