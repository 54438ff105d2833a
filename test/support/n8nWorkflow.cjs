// For unit tests. Loading all of n8n-workflow takes longer than most of them, so the rest of it comes last.
const PARTS = ['constants.js', 'interfaces.js', 'errors/index.js', 'utils.js', 'index.js'];

module.exports = new Proxy(
	{},
	{
		get(_, name) {
			for (const part of PARTS) {
				const { [name]: exported } = require(`n8n-workflow/dist/cjs/${part}`);
				if (exported !== undefined) return exported;
			}
			return undefined;
		},
	},
);
