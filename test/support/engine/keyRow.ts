/** n8n's row: reads, changes and writes with a pause between, so that two calls at once would lose entries. */
export function row() {
	const state = { keys: new Set<string>(), calls: 0, isBusy: false, isBroken: false };
	const store = async (keys: string[]) => {
		if (state.isBroken) throw new Error('database');
		if (state.isBusy) throw new Error('two at once');
		state.isBusy = true;
		state.calls++;
		await new Promise(setImmediate);
		const before = keys.filter((key) => state.keys.has(key));
		keys.forEach((key) => state.keys.add(key));
		state.isBusy = false;
		return before;
	};
	return { state, store };
}
