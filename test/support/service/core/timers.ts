/** Timers that all end when the service stops. */
export interface Timers {
	after(ms: number, run: () => void): void;
	/** Never resolves once the service has stopped. */
	wait(ms: number): Promise<void>;
	stop(): void;
}

/** An empty set of timers. */
export function createTimers(): Timers {
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
		wait: (ms) => new Promise((resolve) => after(ms, resolve)),
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
