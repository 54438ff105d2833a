import type { CompiledModule, Exports } from './modules';

/** Stands for what a module exports, and loads it when something of it is first asked for. */
type Delayed = new (load: () => Exports) => object;

const classes = new WeakMap<CompiledModule, Delayed>();

/** Exports of a module that is loaded when it is needed: a process needs few of those that belong to it. */
export function delayedExports(module: CompiledModule, load: () => Exports): Exports {
	const known = classes.get(module) ?? createClass(module);
	classes.set(module, known);
	return new known(load) as Exports;
}

function createClass({ exports }: CompiledModule): Delayed {
	class DelayedExports {
		private loaded?: Exports;
		constructor(private readonly load: () => Exports) {}
		from(): Exports {
			return (this.loaded ??= this.load());
		}
	}
	const getterOf = (name: string): PropertyDescriptor => ({
		get(this: DelayedExports) {
			return this.from()[name];
		},
	});
	const getters = Object.fromEntries(exports.map((name) => [name, getterOf(name)]));
	Object.defineProperties(DelayedExports.prototype, getters);
	return DelayedExports;
}
