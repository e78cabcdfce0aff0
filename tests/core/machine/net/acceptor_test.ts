import assert from "node:assert/strict";
import { getRequest, openRaw } from "../../../support/service/raw_http.ts";

const script = new URL("../../../support/service/exhausted_server.ts", import.meta.url).pathname;

Deno.test({
  name: "acceptConnections() accepts again after the process had no descriptor left",
  timeout: 60_000,
  async fn() {
    const child = new Deno.Command("sh", {
      args: [
        "-c",
        `ulimit -n 128; exec "$0" run --no-prompt --quiet --allow-net "${script}"`,
        Deno.execPath(),
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const orders = child.stdin.getWriter();
    const order = (text: string) => orders.write(new TextEncoder().encode(text));
    const next = async () => (await said.read()).value!.trim();
    const port = Number(await next());
    const good = openRaw(port);
    good.send(getRequest());
    await good.received("hello");

    await order("exhaust");
    assert.equal(await next(), "exhausted");
    const lost = openRaw(port);
    lost.send(getRequest());
    good.send(getRequest());
    await good.received(/hello.*hello/s);
    await order("free");
    assert.equal(await next(), "free");
    const since = Date.now();
    const answered = await untilHello(port);
    const tookMs = Date.now() - since;
    good.send(getRequest());
    await good.received(/hello.*hello.*hello/s);
    for (const client of [good, lost]) client.close();
    await orders.close();
    await said.cancel();
    child.kill();
    await child.status;

    assert.ok(answered);
    assert.ok(tookMs < 5_000, `took ${tookMs} ms`);
  },
});

async function untilHello(port: number): Promise<string> {
  for (;;) {
    const client = openRaw(port);
    client.send(getRequest());
    const late = setTimeout(client.close, 500);
    const text = await client.received("hello").catch(() => "");
    clearTimeout(late);
    client.close();
    if (text !== "") return text;
  }
}
