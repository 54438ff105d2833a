import { panels } from './panels';
import { quickstart } from './quickstart';
import { running } from './running';
import { startEditorWorld, type EditorWorld } from './world';

let world: EditorWorld;

beforeAll(async () => {
	world = await startEditorWorld();
});
afterAll(async () => await world?.stop());

// n8n with its editor takes long to start, so one shows all.
describe('the panels', () => panels(() => world));
describe('in the editor', () => running(() => world));
describe('the quickstart', () => quickstart(() => world));
