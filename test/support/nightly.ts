/** Whether a sample is enough, as in `npm run test:all`; every night, all is run, with the full numbers. */
const isSample = process.env.SAMPLE === '1';

/** A number of the sample, or the full one. */
export const sampled = <T>(sample: T, full: T): T => (isSample ? sample : full);

/** What is run every night only. */
export const nightly = { test: sampled(test.skip, test), describe: sampled(describe.skip, describe) };
