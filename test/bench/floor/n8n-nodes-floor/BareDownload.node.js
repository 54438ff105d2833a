/** The least that a node which downloads can do: n8n's helper gives the stream, and n8n's store takes it. */
exports.BareDownload = class BareDownload {
	description = {
		displayName: 'Bare Download',
		name: 'bareDownload',
		group: ['input'],
		version: 1,
		description: 'Hands what the helper gives to the binary store and does nothing else',
		defaults: { name: 'Bare Download' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingChannelApi', required: true }],
		properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
	};

	async execute() {
		const data = await this.getCredentials('messagingChannelApi');
		const { body } = await this.helpers.httpRequestWithAuthentication.call(
			this,
			'messagingChannelApi',
			{
				url: this.getNodeParameter('url', 0),
				encoding: 'stream',
				returnFullResponse: true,
				disableFollowRedirect: true,
			},
			{ credentialsDecrypted: { id: '', name: '', type: 'messagingChannelApi', data } },
		);
		return [
			[{ json: {}, binary: { data: await this.helpers.prepareBinaryData(body, 'file.mp4', 'video/mp4') } }],
		];
	}
};
