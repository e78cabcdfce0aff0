import type { Child } from "hono/jsx";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Row } from "../frame/api.ts";
import { Copied } from "../frame/copied.tsx";
import type { Page } from "../frame/env.ts";
import { Empty, Facts, Problem, seconds, Time } from "../frame/parts.tsx";
import { Qr } from "../frame/qr.tsx";
import { Table } from "../frame/table.tsx";
import { bindingsOf } from "./registered.tsx";
import { TestCall } from "./test_call.tsx";

/** Registrations of a Client, settings for its phone, and a call to try it. */
export async function clientExtra(c: Page, row: Row, ports: Ports): Promise<Child> {
  const rows = await bindingsOf(c.var.api, row);
  return (
    <>
      <section class="card" id="registered" data-live="10">
        <h2>Registered now</h2>
        {rows === null && <Problem>The SIP companion does not answer.</Problem>}
        {rows?.length === 0 && <Empty>No phone is registered.</Empty>}
        {rows !== null && rows.length > 0 && (
          <Table
            caption="Registered now"
            rows={rows}
            columns={[
              { title: "Device", cell: deviceOf },
              { title: "From", cell: (one) => <code>{String(one.remote_address)}</code> },
              { title: "By", cell: (one) => String(one.transport).toUpperCase() },
              { title: "Since", cell: (one) => <Time at={one.date_registered} /> },
              { title: "Expires in", isNumber: true, cell: (one) => seconds(one.expires) },
            ]}
          />
        )}
      </section>
      {rows?.length === 0
        ? (
          <section class="card">
            <h2>Test call</h2>
            <Empty>No phone of this Client is registered that could ring.</Empty>
          </section>
        )
        : await TestCall({ c, ports, to: `client:${row.login}` })}
      <PhoneSettings row={row} {...ports.settings} />
    </>
  );
}

const deviceOf = (binding: Row) => (
  <span class="cut">{String(binding.user_agent ?? "unnamed device")}</span>
);

function PhoneSettings({ row, sipDomain, phoneAddresses, baseUrl }:
  & { row: Row }
  & Pick<Ports["settings"], "sipDomain" | "phoneAddresses" | "baseUrl">) {
  const address = `sip:${row.login}@${sipDomain}`;
  const page = `${baseUrl}/softphone?${new URLSearchParams({ login: String(row.login) })}`;
  return (
    <section class="card">
      <h2>Set up a phone</h2>
      <Facts
        facts={[
          ["User name", <Copied text={String(row.login)} what="the user name" />],
          ["Domain, registrar", <Copied text={sipDomain} what="the domain" />],
          ["SIP address", <Copied text={address} what="the SIP address" />],
          ...phoneAddresses.map(({ transport, address }): [string, Child] => [
            transport === "WebSocket" ? transport : `Proxy by ${transport}`,
            <Copied text={address} what={`the address by ${transport}`} />,
          ]),
        ]}
      />
      <div class="codes-row">
        <figure>
          <Qr text={page} label={`QR code of the softphone for ${row.login}`} />
          <figcaption>
            <a href={page}>Softphone in the browser</a>
          </figcaption>
        </figure>
        <figure>
          <Qr text={address} label={`QR code of ${address}`} />
          <figcaption>SIP address, for apps that scan one</figcaption>
        </figure>
      </div>
    </section>
  );
}
