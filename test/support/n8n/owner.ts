/** The one user of every test instance; n8n creates it from its environment, so nobody fills in the set-up page. */
export const owner = {
	email: 'owner@example.com',
	firstName: 'Test',
	lastName: 'Owner',
	password: 'Messaging-Channel-1',
};
