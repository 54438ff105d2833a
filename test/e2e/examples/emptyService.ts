import type { World } from '../../support/world/world';

/** More IDs than one test makes the service draw. */
const IDS_PER_TEST = 60;

let tests = 0;

/**
 * Empties the service before a test. It would then give its events the IDs that it gave in the tests before, and one of
 * those may have been the sample event of an activation, which a trigger rightly takes no second time. So it first draws
 * as many IDs as were drawn before.
 */
export async function emptyService({ service }: World): Promise<void> {
	await service.control.reset();
	tests += 1;
	const unused = Array.from({ length: tests * IDS_PER_TEST }, () => ({ name: 'unused', content: 'unused' }));
	await service.control.seed({ templates: unused });
}
