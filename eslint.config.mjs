import { config } from '@n8n/node-cli/eslint';

/** n8n's rules for what a package ships; they mean nothing for tests and scripts, which no user gets. */
const rulesForShippedCode = config
	.flatMap(({ rules = {} }) => Object.keys(rules))
	.filter((rule) => rule.startsWith('@n8n/community-nodes/'));

export default [
	...config,
	{ ignores: ['.n8n/**', 'coverage/**'] },
	{
		files: ['test/**/*.ts', 'scripts/**/*.ts'],
		rules: {
			...Object.fromEntries(rulesForShippedCode.map((rule) => [rule, 'off'])),
			'no-console': 'off',
		},
	},
];
