// For tests and scripts. n8n's strict mode wants ../eslint.config.mjs, the one of the shipped code, as n8n wrote it.
import { config } from '@n8n/node-cli/eslint';

/** n8n's rules for what a package ships; they mean nothing for tests and scripts, which no user gets. */
const rulesForShippedCode = config
	.flatMap(({ rules = {} }) => Object.keys(rules))
	.filter((rule) => rule.startsWith('@n8n/community-nodes/'));

export default [
	...config,
	{
		rules: {
			...Object.fromEntries(rulesForShippedCode.map((rule) => [rule, 'off'])),
			'no-console': 'off',
		},
	},
];
