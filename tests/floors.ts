/**
 * The rooms of the house, from the ground up. A line names a room, the rooms it may import, the packages it
 * may import, and its subject. Names without a top folder are of the line's own top. `readFloors()` reads it.
 */
export const floors = `
core/base |  | @opentelemetry/api node: zod | faults, Sids, dates, fields, limits, signatures: what everything uses
core/protocol | base | node: zod | requests, scripts and events between service and companion, as schemas
core/metrics |  | prom-client | measurements of a process in the format of Prometheus
core/model | base protocol | libphonenumber-js node: re2js zod | declarations of all resources, values, flows, parameters, and the ports of core
core/companions | base model protocol |  | which companion has a call, and requests to it
core/accounts | base model protocol | node: zod | accounts, credentials, access, Clients' grants, console sign-in
core/webhooks | accounts base metrics model protocol | zod | signed webhooks and Deliveries, Notifications, event streams
core/usage | accounts base model webhooks |  | sums of usage, usage triggers, retention and erasure of records
core/numbers | accounts base model protocol webhooks | libphonenumber-js node: zod | phone numbers, their providers, Gateways: routes and caller IDs
core/recordings | accounts base model protocol usage webhooks | wasm-media-encoders zod | recordings and transcriptions, from their first event to their removal
core/calls | accounts base model numbers protocol usage webhooks |  | statuses, parameters, route and rates of calls
core/markup | base calls model protocol | fast-xml-parser zod | parser of call-control markup; a file for each verb
core/supervisor | accounts base companions model numbers webhooks | zod | counts and statistics of an instance and of an account
core/documents | accounts base calls markup model numbers protocol recordings webhooks |  | from a URL to a script: fetch, sign, walk a flow, compile
core/conferences | base companions documents model protocol webhooks | zod | conferences and queues: members, callbacks, ends
core/streams | accounts base calls documents model protocol webhooks | zod | records, callbacks and ends of audio streams
core/messages | accounts base calls documents model numbers protocol usage webhooks | zod | SMS and USSD: routes, receipts, inbound texts; geolocation
core/reports | accounts base calls companions conferences documents markup messages model numbers protocol recordings streams webhooks | zod | events of legs and the changes of calls that follow
core/account_limits | accounts base calls model reports webhooks |  | limits of accounts: set, shown, counted, warned of
core/trials | base calls conferences documents markup messages model protocol recordings reports | zod | calls without a peer: test accounts, dry runs, markup tests, the demo
core/jobs | account_limits accounts base calls companions conferences documents messages metrics model protocol recordings reports streams trials usage webhooks |  | a handler for each kind of job
core/twilio | accounts base calls companions conferences markup messages model numbers protocol recordings reports streams usage | zod | the nouns of the interface for Twilio's libraries
core/openapi | accounts base calls conferences markup messages model numbers protocol recordings reports streams supervisor trials usage webhooks | zod | /openapi.json and the TypeScript client, from the declarations
core/machine | accounts base calls companions messages metrics model numbers protocol supervisor trials webhooks | @echogarden/espeak-ng-emscripten @hono/node-server aws4fetch node: nodemailer smpp zod | listeners, processes, configuration, adapters, start
core/admin | base machine webhooks | node: | the operators' command line, on the REST interface alone
sip/base | core/base core/machine core/metrics core/protocol | node: prom-client sip.js | flows (RFC 5626), timers, limits, admission, the one door to sip.js
sip/media | core/base core/machine | mpg123-decoder node: opusscript ws zod | the media engine; its folders stand in its own README
sip/text | base media core/base core/protocol | node: | text of SIP messages and bodies, digest values, origin and location
sip/service | base media core/base core/machine core/protocol | node: | requests and reports to the service
sip/transport | base text core/base core/machine | node: ws | WebSocket, TCP, TLS, UDP, DNS, retransmissions
sip/contracts | base media service text transport core/base core/protocol |  | Signalling, Dialog, Leg, Calls, Fork: interfaces that rooms share
sip/auth | base contracts service text core/base core/protocol |  | digest authentication (RFC 8760)
sip/stack | auth base text transport core/base | node: sip.js | sip.js: transactions, dialogs, and the patches to it
sip/registrar | auth base contracts service stack text core/base core/protocol |  | REGISTER, Path, presence
sip/trunk | auth base contracts service text transport core/base core/machine core/protocol |  | Gateways: registration, state, proxies
sip/leg | auth base contracts media registrar stack text transport trunk core/base core/protocol | node: zod | a leg from INVITE to BYE: incoming, outgoing, forks, dialog
sip/script | auth base contracts leg media registrar service stack text transport trunk core/base core/machine core/protocol | zod | performs scripts: steps, streams, conversations, transfer, relay
sip | auth base contracts leg media registrar script service stack text transport trunk core/base core/machine core/protocol |  | the companion, put together
kv/store | core/base | node: | keys, batches, commits, receipts
kv/engines | store core/base | node: pg | what keeps entries: Deno KV, PostgreSQL
kv/cache | store core/base core/model |  | cached reads and their invalidation
kv/records | cache store core/base core/model | node: | values, index entries, references and texts of a record
kv/counters | cache records store |  | counters that split where entries are many
kv/jobs | cache store core/accounts core/base core/model |  | the queue of jobs and its workers
kv/lists | cache records store core/base core/model |  | from a query to a page
kv/collections | cache counters jobs lists records store core/accounts core/base core/model core/protocol | node: | ports that core is given: records, accounts, presence, ledger
kv | cache collections counters engines jobs records store core/accounts core/base core/model | node: | backup, migration, changes; the store put together
routes/http | core/accounts core/base core/machine core/metrics core/model core/webhooks | hono node: | parts of every response: errors, formats, parameters, access, Idempotency-Key
routes/resources | http core/account_limits core/accounts core/base core/calls core/companions core/conferences core/messages core/model core/numbers core/protocol core/recordings core/reports core/streams core/supervisor core/trials core/usage core/webhooks | hono | routes of irregular resources
routes/events | http resources core/accounts core/base core/model core/protocol core/recordings core/webhooks | hono | the event stream of an account
routes/twilio | http core/accounts core/base core/model core/twilio core/webhooks | hono zod | the interface for Twilio's libraries
routes/docs | http core/base core/model core/openapi | hono marked | pages below / and /docs
routes/console | docs http core/accounts core/base core/calls core/companions core/machine core/model core/openapi core/trials core/usage core/webhooks | hono uqr zod | the console
routes | events http resources twilio core/accounts core/base core/companions core/documents core/machine core/messages core/metrics core/model core/numbers core/openapi core/protocol core/recordings core/reports core/trials core/webhooks | hono | the HTTP interface put together; requests of companions
`;
