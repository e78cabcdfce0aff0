/**
 * The map of the house, from the ground up: each line is a folder, the folders it may import, the packages
 * it may import, and what it is. A folder imports from lines above its own alone, so no folder imports itself
 * by way of others. Names without a top folder are of the line's own; `*` is all of them above the line.
 */
export const floors = `
core/base/faults       |                                                              |  | every way to refuse or to fail, in a table for each area
core/base              | base/faults                                                  | @opentelemetry/api node: zod | faults, Sids, dates, fields, limits, text, signatures: what everything uses
core/protocol          | base                                                         | node: zod | what service and companion say to each other
core/model             | base protocol                                                | zod | resource(), the kinds of jobs, the contract of the store
core/model/flows             | base                                                         | node: zod | the steps of a flow: schema, checks, addresses, decisions
core/model/rest              | base model                                                   | node: zod | parameters, filters and pages of requests; how many one may send
core/model/values            | base protocol                                                | libphonenumber-js re2js zod | call status, addresses, phone numbers, trunk settings and other values
core/model/resources/console   | base model                                             | zod | sessions, sign-in and audit log of the console
core/model/resources/internal | base model protocol rest values                             | zod | declarations of records that only the service, or one interface, sees
core/model/resources         | resources/console resources/internal base flows model protocol rest values                        | zod | one declaration for each resource
core/model/resources/views   | base model protocol resources resources/console rest values                                  | zod | what answers show and no store keeps: tokens, registrations, sums of usage
core/model/ports             | base model protocol resources values                              | zod | what core needs of the store, the companions, providers and the machine
core/accounts          | base model ports protocol resources                          | node: zod | accounts, credentials, access, sandboxes
core/machine/net               | base                                                         | @hono/node-server node: | listeners: accepting, HTTP, client addresses, certificates, limits
core/accounts           | accounts base model net ports resources resources/console rest                         |  | sign-in at the console: sessions, lock-out, second factor, audit log
core/metrics           | base net                                                     | prom-client | what a process measures of itself, in the format of Prometheus
core/numbers           | accounts base model ports resources rest values              | libphonenumber-js | phone numbers: search, purchase, import
core/machine/process           | base                                                         |  | clocks, logs, failures, signals and secret files of a process
core/machine/configuration     | base net numbers process values                              | node: zod | the environment variables, checked
core/webhooks            | accounts base model ports protocol resources rest                   | zod | event streams: what is asked of them, and their bounds
core/admin             | base configuration events model net process                               | node: | the command line of operators, on the REST interface
core/webhooks     | base flows model ports resources resources/internal rest values |  | Notifications: what the error log says
routes/http       | accounts base model ports resources                                 | node: | responses to requests with an Idempotency-Key
core/numbers          | accounts base notifications ports protocol resources values  | node: | trunks: which one a call takes, caller ids, registrations
core/usage         | accounts base model notifications ports resources resources/internal values |  | the removal of records that are older than they are kept
core/webhooks          | accounts base metrics model notifications ports resources rest    | zod | signed webhooks and their Deliveries
core/usage             | accounts base model ports resources resources/internal resources/views webhooks |  | sums of usage, and triggers that watch them
core/recordings  | base model ports protocol resources                          |  | addresses of the audio of recordings
core/calls             | *                                                            |  | calls: statuses, parameters, route, rates
core/markup            | base calls flows protocol resources values                   | fast-xml-parser zod | the markup: parser and what verbs share
core/markup      | base markup protocol values                                  | zod | nouns of Start, Stop and Connect
core/markup/verbs      | base calls markup markup/nouns protocol values                            | zod | one file for each verb
core/documents         | *                                                            | zod | from a URL to a script: fetch, flows, compile
core/messages       | base model resources rest webhooks                           | zod | Geolocations
core/messages          | *                                                            | zod | SMS: routes, receipts, what comes in
core/trials    | *                                                            | zod | markup that is tried without a call: what it would do
core/machine/adapters          | base configuration messages net ports values                     | aws4fetch node: nodemailer zod | mail, blobs, carriers, guarded requests of the machine
core/machine/adapters/smpp     | base messages net ports resources values                         | node: smpp | SMPP links to message centers
core/machine/adapters/espeak_package |                                                        | @echogarden/espeak-ng-emscripten | espeak-ng's npm package, apart by its licence
core/machine/adapters/speech   | accounts adapters/espeak_package base configuration net process | node: zod | the speech process and its engines
core/accounts           | accounts base model ports protocol resources resources/views                          |  | Clients and their registrations
core/companions        | base ports protocol                                          |  | which companion has a call, and requests to it
core/supervisor        | base companions model ports resources resources/views rest values |  zod | what calls, Clients, Gateways and callbacks of an account do now
core/conferences       | *                                                            | zod | conferences: members, callbacks, end
core/trials              | base model ports resources values                            |  | what a first start has to try
core/recordings        | *                                                            | wasm-media-encoders zod | recordings and transcriptions
core/conferences            | *                                                            |  | queues of calls
core/streams           | *                                                            | zod | audio streams of calls: their records, callbacks and ends
core/reports           | *                                                            | zod | what happened to a leg, and what follows
core/account_limits    | *                                                            |  | limits of accounts: set, shown, counted by the minute, warned of
core/trials          | *                                                            | zod | the designer of flows: the dry run, versions
core/trials/simulation        | *                                                            |  | calls of test accounts: legs that jobs perform
core/jobs              | *                                                            |  | one handler for each kind of job
core/numbers | base ports values                                            | zod | where numbers are bought
core/supervisor        | accounts base companions model numbers ports resources values webhooks | zod | counts of what an instance does
core/messages              | base calls model resources rest                              |  | USSD pushes
core/twilio/noun       | base flows markup model ports protocol resources resources/internal rest values | zod | what a noun of the interface for Twilio's libraries is made of
core/twilio            | *                                                            | zod | the nouns of the interface for Twilio's libraries
core/openapi           | *                                                            | zod | /openapi.json from the declarations
core/machine/start             | *                                                            |  | the supervisor, permissions, and how the service is put together
sip/base      |                                                              | sip.js | the one door to sip.js
sip/base               | stack/library core/base core/metrics core/protocol           | node: prom-client | flows, timers, limits and other ground
sip/base          | base core/machine/net core/base |  | what unknown peers may take
sip/media/base         | core/base |  | the contract of media, frames and time
sip/media/server_socket      | base media/base core/machine/net                                     | node: ws | WebSockets to servers of customers
sip/media/codecs       | media/base                                                   | mpg123-decoder node: opusscript | G.711, Opus, MP3, WAV, resampling
sip/media/rtp          | base media/base core/base media/codecs                                 | node: | RTP and RTCP packets, sockets, jitter buffer
sip/media/srtp         | media/base media/rtp                                         | node: | SRTP (RFC 3711)
sip/media/sdp          | media/base media/rtp media/srtp                              | node: | SDP (RFC 8866): read, written; the contract of a transport
sip/text               | base stack/library core/protocol core/base | node: | the text of SIP messages and bodies; digest
sip/text           | base media/sdp stack/library text core/protocol core/base | node: | who sent a message, from where, over what; registered devices
sip/media/audio        | media/base                                                   |  | tones, beeps, levels, answering machines
sip/media/sources      | base media/base media/codecs core/base                       | zod | audio files and speech of others, fetched and kept
sip/service            | base media/base core/protocol core/base core/machine/net | node: | requests to the service: reports, questions, news
sip/transport          | base stack/library text core/base core/machine/net                   | node: ws | WebSocket, TCP, TLS, UDP; DNS; retransmissions
sip/contracts          | * core/base core/protocol                                              |  | Signalling, Dialog, Leg, Calls, Fork: what the folders above share
sip/auth               | admission base contracts identity service stack/library text core/machine/net core/protocol core/base |  | digest authentication of requests (RFC 8760)
sip/stack/patches      | auth base identity text core/base | node: sip.js | what of sip.js runs as our code
sip/stack              | auth base stack/library stack/patches text transport core/base core/machine/net | node: sip.js | sip.js: transactions and dialogs
sip/registrar          | * core/protocol core/base |  | REGISTER, paths, who is present
sip/leg             | * core/base | node: | requests within a dialog: offers, hold, update, INFO
sip/leg            | * core/protocol                                              |  | checks of each request before it gets a transaction
sip/trunk              | auth base contracts service stack/library text transport core/machine/net core/protocol core/base |  | gateways: registration, state, proxies
sip/leg                | * core/protocol core/base |  | legs: incoming, outgoing, ringing, forks
sip/leg               | base contracts identity leg media/base core/protocol         | zod | calls to other companions
sip/script/steps              | * core/protocol core/base |  | one file for each step of a script
sip/script      | * core/base core/protocol                                    | zod | conversations by text with customers' servers
sip/script            | * core/machine/net core/protocol core/base |  | audio streams of a leg
sip/script           | * core/protocol                                              |  | REFER and Replaces
sip/script           | * core/protocol                                              |  | INVITE: who is called, and may be
sip/script           | * core/protocol                                              |  | MESSAGE, in and out
sip/script              | *                                                            |  | what this companion does for calls of others
sip/script             | * core/base core/machine/net core/protocol                                    |  | performs the script of a leg
sip                    | * core/base core/metrics core/machine/net core/protocol                           |  | the companion, put together
sip/media/streams      | media/audio media/base media/codecs media/rtp server_socket core/base | node: | the audio of legs over WebSocket to servers of customers
sip/media/engine       | base media/audio media/base media/codecs media/rtp media/sdp media/streams server_socket core/base core/machine/net |  | legs of audio, joined and mixed
sip/media/webrtc       | base media/base media/rtp media/sdp media/srtp core/base core/machine/net | node: | ICE, STUN and DTLS
sip/media/transports   | media/base media/engine media/rtp media/sdp media/srtp media/webrtc core/machine/net | node: zod | plain RTP, WebRTC, rtpengine
sip/media/worker       | base media/base media/engine media/transports core/base | node: | the engine in a Worker of its own
kv/store               | core/base                                                    | node: | keys, batches, commits, receipts: what is written, and how
kv/backup              | store core/base                                              | node: | backups: their format, snapshots of a store, restore
kv/cache               | store core/base core/model core/model/resources                    |  | what is remembered of the store, and what forgets it
kv/jobs                | cache store core/accounts core/base core/model core/model/ports                        |  | the queue of jobs and its worker
kv/records             | cache store core/base core/model core/model/resources              | node: | what is kept of a record: value, index entries, references, texts
kv/counters            | cache records store                                          |  | counters made finer where many entries came
kv/migration           | cache counters records store core/accounts core/base core/model core/model/ports          |  | from the layout of a former version to this one
kv/lists               | cache records store core/base core/model                     | node: | from a query to a page
kv/collections         | * core/accounts core/base core/model core/model/ports core/protocol core/model/resources core/model/values | node: | what core is offered: records, accounts, presence, ledger, stock
kv/changes             | * core/model core/model/ports core/model/resources | | the changes of records as they are committed, for those who follow them
kv                     | * core/base core/model core/model/ports core/model/resources             | node: | the store on Deno KV, put together
routes/http            | core/accounts core/base routes/http core/metrics core/model core/machine/net core/webhooks core/model/ports core/model/resources core/model/resources/internal core/model/rest core/model/values | hono | what every answer shares: errors, formats, parameters, access
routes/resources       | http core/*                                                  | hono | routes of resources that are not regular
routes/events          | http resources core/* | hono | the event stream of an account
routes/twilio          | http core/*                                                  | hono zod | the interface for Twilio's libraries, from its nouns
routes/docs            | http core/base core/openapi core/model/ports                          | hono marked | the pages: / and /docs
routes/console/frame   | docs http core/*                                             | hono uqr zod | what all pages of the console share: session, interface, layout, forms
routes/console/build   | console/frame http core/*                                     | hono | numbers bought, markup tried, phones set up, test calls
routes/console/faults  | console/build console/frame http core/*                             | hono | what went wrong: the error log, causes, what needs attention
routes/console/pages   | console/build console/faults console/frame http core/*                     | hono | a file for each page of the console
routes/console/administration | console/frame console/pages http core/*               | hono | accounts, keys, usage, and the service itself
routes/console/designer | console/build console/frame console/pages http core/*                      | hono | the pages of the designer of flows
routes/console/live    | console/build console/frame console/pages http core/*                      | hono | what happens now: calls, conferences, queues, and a tail of events
routes/console         | console/live console/designer console/administration console/build console/faults console/frame console/pages http core/*                      | hono | the console, put together
routes                 | events http resources twilio core/*                                        | hono | the HTTP interface, put together; pages
routes/protocol        | core/*                                                       | hono | requests of companions to the service
core/openapi/typescript_client/runtime |                                                              |  | the client as it is shipped: requests, lists, signatures, markup
core/openapi/typescript_client/generator | core/*                                                       | zod | the sources of the client that declarations make
`;

/** A folder of the map. */
export interface Floor {
  folder: string;
  /** Folders it may import, itself among them. */
  imports: string[];
  /** Packages, without what follows the name; `node:` is every module of Node. */
  packages: string[];
}

/** The lines of a map. Throws where a line names a folder that is not above it. */
export function readFloors(map: string): Floor[] {
  const lines = map.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const above: string[] = [];
  return lines.map(([folder = "", imported = "", packages = ""]) => {
    const top = folder.split("/")[0]!;
    const below = (prefix: string) => above.filter((name) => name.startsWith(`${prefix}/`));
    const imports = words(imported).flatMap((name) => {
      if (name === "*") return below(top);
      if (name.endsWith("/*")) return below(name.slice(0, -2));
      const found = [`${top}/${name}`, name].find((one) => above.includes(one));
      if (found === undefined) throw new Error(`${folder} imports ${name}, which is not above it`);
      return [found];
    });
    above.push(folder);
    return { folder, imports: [folder, ...imports], packages: words(packages) };
  });
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
