import { callRows, tableRows } from './callsTable';
import { page } from './pages';

const { text } = page('docs/migration.md');

test('every call of the service has its row, in order, with the operation that makes it', () => {
	const rows = tableRows(text).filter(([call = '']) => /^`(GET|POST|PUT|DELETE) \//.test(call));
	expect(rows).toEqual(callRows());
});
