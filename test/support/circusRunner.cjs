// Jest's worker would outlive a Jest that was killed, and keep its n8n running.
process.once('disconnect', () => process.exit(1));

module.exports = require('jest-circus/runner');
