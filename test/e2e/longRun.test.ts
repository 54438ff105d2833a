import { problemsOf } from '../longRun/report';
import { longRun } from '../longRun/run';

// For an hour's worth of growth there is `npm run test:long`.
test('sends, events and downloads leave no socket, no timer and no rejection behind', async () => {
	const courses = await longRun({ load: 5_000, quiet: 10_000 }, () => undefined);

	expect(problemsOf(courses)).toEqual([]);
});
