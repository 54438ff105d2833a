/**
 * The least that a node which sends can do: it reads its two expressions, calls n8n's helper with the credential at hand,
 * and puts the answer out. What any node takes longer than this is its own.
 */
exports.BareSend = class BareSend {
	description = {
		displayName: 'Bare Send',
		name: 'bareSend',
		group: ['output'],
		version: 1,
		description: 'Calls the helper and does nothing else',
		defaults: { name: 'Bare Send' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingChannelApi', required: true }],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'To', name: 'to', type: 'string', default: '' },
			{ displayName: 'Message', name: 'message', type: 'string', default: '' },
			{ displayName: 'Max Concurrency', name: 'maxConcurrency', type: 'number', default: 1 },
		],
	};

	async execute() {
		const items = this.getInputData();
		const url = this.getNodeParameter('url', 0);
		const data = await this.getCredentials('messagingChannelApi');
		const credentialsDecrypted = { id: '', name: '', type: 'messagingChannelApi', data };
		const sent = new Array(items.length);
		let next = 0;
		const work = async () => {
			for (let item = next++; item < items.length; item = next++) {
				const body = {
					to: this.getNodeParameter('to', item),
					message: this.getNodeParameter('message', item),
				};
				const response = await this.helpers.httpRequestWithAuthentication.call(
					this,
					'messagingChannelApi',
					{
						method: 'POST',
						url,
						body,
						json: true,
						returnFullResponse: true,
						ignoreHttpStatusErrors: true,
						disableFollowRedirect: true,
					},
					{ credentialsDecrypted },
				);
				sent[item] = { json: response.body, pairedItem: { item } };
			}
		};
		await Promise.all(Array.from({ length: this.getNodeParameter('maxConcurrency', 0) }, work));
		return [sent];
	}
};
