/** How long this process computes, in milliseconds: other than by the clock, a busy machine takes no longer. */
export function cpuMs(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
