// For unit tests. Loading all of n8n-workflow takes longer than most of them, so the rest of it comes last.
const PARTS = ['constants.js', 'interfaces.js', 'utils.js', 'errors/index.js', 'index.js'];

const ofN8nWorkflow = { paths: [require.resolve('n8n-workflow/package.json')] };

module.exports = new Proxy(
	{},
	{
		get(_, name) {
			// Nearly every test needs this, and nothing else of what `utils.js` loads.
			if (name === 'sleep') return require(require.resolve('@n8n/utils/sleep', ofN8nWorkflow)).sleep;
			for (const part of PARTS) {
				const { [name]: exported } = require(`n8n-workflow/dist/cjs/${part}`);
				if (exported !== undefined) return exported;
			}
			return undefined;
		},
	},
);
