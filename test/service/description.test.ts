import { OpenAPIBackend } from 'openapi-backend';

import { loadDefinition, loadDescription } from '../support/service/core/description';
import { handlers } from '../support/service/handlers';

test('openapi.yaml is a valid OpenAPI document', async () => {
	const definition = loadDefinition();
	const api = new OpenAPIBackend({ definition, quick: true });
	await api.loadDocument();
	expect(() => api.validateDefinition()).not.toThrow();
	expect(definition.openapi).toBe('3.1.0');
});

test('every operation has a handler, and no handler is left over', async () => {
	const { operations } = await loadDescription();
	expect(Object.keys(handlers).sort()).toEqual(operations.map(({ id }) => id).sort());
});
