// Names of all hosts lead to the loopback, and are written to stderr. Loaded before a program of npm twilio.
const dns = require("node:dns");

dns.lookup = (host, options, done = options) => {
  process.stderr.write(`host ${host}\n`);
  const found = { address: "127.0.0.1", family: 4 };
  if (options.all) done(null, [found]);
  else done(null, found.address, found.family);
};
