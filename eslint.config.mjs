import { config } from '@n8n/node-cli/eslint';

export default [
	...config,
	{ ignores: ['.n8n/**', 'coverage/**'] },
	{
		// Tests and scripts are not shipped: the rules on what n8n Cloud lets a package import do not concern them.
		files: ['test/**/*.ts', 'scripts/**/*.ts'],
		rules: {
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
			'@n8n/community-nodes/no-dead-files': 'off',
			'no-console': 'off',
		},
	},
];
