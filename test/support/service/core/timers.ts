export type Timers = ReturnType<typeof createTimers>;

/** Timers that all end when the service stops. */
export function createTimers() {
	const pending = new Set<NodeJS.Timeout | NodeJS.Immediate>();
	let stopped = false;
	const after = (ms: number, run: () => void): void => {
		if (stopped) return;
		const fire = () => {
			pending.delete(timer);
			if (!stopped) run();
		};
		// A timer takes a millisecond at least, which adds up over thousands of sends without a delay.
		const timer = ms <= 0 ? setImmediate(fire) : setTimeout(fire, ms);
		pending.add(timer);
	};
	return {
		after,
		/** Never resolves once the service has stopped. */
		wait: async (ms: number) => await new Promise<void>((resolve) => after(ms, resolve)),
		stop: () => {
			stopped = true;
			for (const timer of pending) {
				clearTimeout(timer as NodeJS.Timeout);
				clearImmediate(timer as NodeJS.Immediate);
			}
			pending.clear();
		},
	};
}
