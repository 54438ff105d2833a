// Jest's worker would outlive a Jest that was killed, and keep its n8n running. A listener for the lost connection would
// keep every worker from ending by itself.
if (process.connected) setInterval(() => process.connected || process.exit(1), 1_000).unref();

module.exports = require('jest-circus/runner');
