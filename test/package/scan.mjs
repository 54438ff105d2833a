// n8n's scanner downloads what is published; this runs the same rules on a folder: `node scan.mjs <folder> <pattern>...`.
// A process of its own, as some of its rules see nothing under a test runner.
import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, ...patterns] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(
	folder,
	patterns[0] ? patterns : SOURCE_FILE_PATTERNS,
);
if (!passed || message) {
	console.log([message, details].filter(Boolean).join('\n'));
	process.exitCode = 1;
}
