/**
 * Tests of media that run one after the other in one process, as two cores are few for their
 * programs. One of them is libdatachannel: it serves one isolate in a process, and a second one
 * ends the process.
 */
import "./sip/media/webrtc/libdatachannel_cases.ts";
import "./sip/media/engine/media_port_cases.ts";
import "./sip/media/webrtc/webrtc_cases.ts";
import "./sip/media/webrtc/webrtc_contract_cases.ts";
import "./sip/media/webrtc/webrtc_restart_cases.ts";
import "./sip/media/webrtc/webrtc_chromium_cases.ts";
import "./sip/media/webrtc/webrtc_fault_cases.ts";
import "./sip/interop/browser_calls_cases.ts";
import "./sip/interop/browser_softphones_cases.ts";
import "./sip/interop/browser_transfers_cases.ts";
import "./sip/interop/peer_phones_cases.ts";
import "./sip/interop/peer_transfers_cases.ts";
import assert from "node:assert/strict";

const root = new URL("./", import.meta.url);

async function* testFiles(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* testFiles(new URL(`${name}/`, folder));
    else if (name.endsWith("_test.ts")) yield new URL(name, folder);
  }
}

Deno.test("no other test file runs libdatachannel", async () => {
  const others = (await Array.fromAsync(testFiles(root)))
    .filter(({ href }) => href !== import.meta.url);
  for (const file of others) {
    const text = await Deno.readTextFile(file);
    const native = /from "(node-datachannel|[^"]*_cases\.ts)"/.exec(text)?.[0];
    assert.equal(native, undefined, `${file.href.slice(root.href.length)} imports it`);
  }
});
