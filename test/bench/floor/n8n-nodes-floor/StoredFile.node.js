/** Puts out a file that n8n's binary store has already, as a node does that gets it from an earlier execution. */
exports.StoredFile = class StoredFile {
	description = {
		displayName: 'Stored File',
		name: 'storedFile',
		group: ['input'],
		version: 1,
		description: 'Puts out a file that is in the binary store',
		defaults: { name: 'Stored File' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Binary Data', name: 'binary', type: 'json', default: '{}' }],
	};

	async execute() {
		return [[{ json: {}, binary: { data: JSON.parse(this.getNodeParameter('binary', 0)) } }]];
	}
};
