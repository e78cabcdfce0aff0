import { BlockList, isIP } from "node:net";

/** Whether an address is one of a list of addresses and networks, such as `192.0.2.0/24,2001:db8::1`. */
export function addressList(list: readonly string[]): (host: string) => boolean {
  // To ask costs as much as to read a message.
  if (list.length === 0) return () => false;
  const listed = new BlockList();
  for (const entry of list) {
    const [address = "", bits] = entry.split("/");
    const family = familyOf(address);
    if (bits === undefined) listed.addAddress(address, family);
    else listed.addSubnet(address, Number(bits), family);
  }
  return (host) => isIP(host) !== 0 && listed.check(host, familyOf(host));
}

const familyOf = (address: string) => address.includes(":") ? "ipv6" : "ipv4";
