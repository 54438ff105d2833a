import { spawnSync } from 'node:child_process';

/** The container engine that runs here, if any. Only on Linux does a container get the network of this machine. */
export const containerEngine = () =>
	process.platform === 'linux'
		? ['docker', 'podman'].find((name) => spawnSync(name, ['version'], { stdio: 'ignore' }).status === 0)
		: undefined;
