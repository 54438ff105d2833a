/** The least that a node which uploads can do: the file is the body, as n8n's store gives it, without a form around it. */
exports.BareUpload = class BareUpload {
	description = {
		displayName: 'Bare Upload',
		name: 'bareUpload',
		group: ['output'],
		version: 1,
		description: 'Hands the stored file to the helper and does nothing else',
		defaults: { name: 'Bare Upload' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingChannelApi', required: true }],
		properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
	};

	async execute() {
		const { id, bytes } = this.getInputData()[0].binary.data;
		const data = await this.getCredentials('messagingChannelApi');
		const { body } = await this.helpers.httpRequestWithAuthentication.call(
			this,
			'messagingChannelApi',
			{
				method: 'POST',
				url: this.getNodeParameter('url', 0),
				headers: { 'content-type': 'application/octet-stream', 'content-length': bytes },
				body: await this.helpers.getBinaryStream(id),
				returnFullResponse: true,
				disableFollowRedirect: true,
			},
			{ credentialsDecrypted: { id: '', name: '', type: 'messagingChannelApi', data } },
		);
		return [[{ json: { body } }]];
	}
};
