import { connect } from "node:tls";
import type { Endpoint } from "../../../sip/base/flow.ts";

/** Connects by TLS, as to sip.test; resolves with the serial number of the certificate shown. */
export async function serialAt({ host, port }: Endpoint): Promise<string> {
  const socket = connect({ host, port, servername: "sip.test", ca: testAuthority });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.once("secureConnect", () => resolve(socket.getPeerCertificate().serialNumber));
  socket.once("error", reject);
  return await promise.finally(() => socket.destroy());
}

/** PEM files of the first test certificate, and how they are renewed to the second. */
export async function certificateFiles() {
  const directory = await Deno.makeTempDir();
  const [certFile, keyFile] = [`${directory}/cert.pem`, `${directory}/key.pem`];
  const write = async ({ cert, key }: { cert: string; key: string }) => {
    await Deno.writeTextFile(certFile, cert);
    await Deno.writeTextFile(keyFile, key);
  };
  await write(testCertificates.first);
  return {
    certificate: { certFile, keyFile, pollMs: 20 },
    write,
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

/* Certificates for tests alone: their keys are public. */

/** The authority that issued the others. */
export const testAuthority = `-----BEGIN CERTIFICATE-----
MIIBlzCCATygAwIBAgIUdCsHJVjajJQVDjPmCsjBfuvD4qEwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIwMjIyNjE5WhgPMjEy
NjEwMjcyMjI2MTlaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEaQ770gpVTJlUdNQ4e6BTrBX7HpVEigyurLOw7Wav
B/MJ0Z4czBCnLvk6PUG1kOWCLii05GgoTNfTJOGCn6XbF6NgMF4wHQYDVR0OBBYE
FL2E/fpwfUVXSJRTUeI/hvW9mx6PMB8GA1UdIwQYMBaAFL2E/fpwfUVXSJRTUeI/
hvW9mx6PMA8GA1UdEwEB/wQFMAMBAf8wCwYDVR0PBAQDAgIEMAoGCCqGSM49BAMC
A0kAMEYCIQCdY2ZSxPt+pguOjGjvbrDwcdN69sgQPgh83jNmoFn27wIhAMSrjaJ2
8d4vPPcNPWga1HogkynKPOhVaNJHdzUmwZ+f
-----END CERTIFICATE-----
`;

/** Two certificates for localhost and sip.test, as before and after a renewal. */
export const testCertificates = {
  first: {
    cert: `-----BEGIN CERTIFICATE-----
MIIBkDCCATWgAwIBAgIUCmftpTHeOutEPxNJqSnGevVq+CUwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIwMjIyNjE5WhgPMjEy
NjEwMjcyMjI2MTlaMBAxDjAMBgNVBAMMBWZpcnN0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAExVWXhWJKrOlQYNNyRxj9to6JTx1dEvUP9C8Wo8uKsEmwrpCeXtwY
x2eW5vg9NKKeFAiviIL8zgjj8zRViybErqNiMGAwHgYDVR0RBBcwFYIJbG9jYWxo
b3N0gghzaXAudGVzdDAdBgNVHQ4EFgQUu3bwDSP2XhCZ65yzFuAFyHStazUwHwYD
VR0jBBgwFoAUvYT9+nB9RVdIlFNR4j+G9b2bHo8wCgYIKoZIzj0EAwIDSQAwRgIh
AKnCIEBhvhFNt/LdgQ/U5DWvJ6v40uqLF+ZykeO16XmpAiEAssHw9MDJj3/5+sKT
MRLDdW3bHGlaSb/MuOa3P2ExMyY=
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXIbXlrgqtEa+4kl7
F5ZwPn9AEYRe1y18uUfqFgzV0xWhRANCAATFVZeFYkqs6VBg03JHGP22jolPHV0S
9Q/0Lxajy4qwSbCukJ5e3BjHZ5bm+D00op4UCK+IgvzOCOPzNFWLJsSu
-----END PRIVATE KEY-----
`,
  },
  second: {
    cert: `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUCmftpTHeOutEPxNJqSnGevVq+CYwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIwMjIyNjE5WhgPMjEy
NjEwMjcyMjI2MTlaMBExDzANBgNVBAMMBnNlY29uZDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABDAm/GOkAKA4WrsqeOrlqHqP5gL5gB+nSzwKHzr3F5TT9K7rbYcM
VkdatsKKLgyffsQi/WjRyVk38JJ71Zb+3w6jYjBgMB4GA1UdEQQXMBWCCWxvY2Fs
aG9zdIIIc2lwLnRlc3QwHQYDVR0OBBYEFDBFps7SKL2RtMOM9bAyOCJgU/r+MB8G
A1UdIwQYMBaAFL2E/fpwfUVXSJRTUeI/hvW9mx6PMAoGCCqGSM49BAMCA0gAMEUC
IQDAjFi+lZyl2ezcxsf2cohNUCTe3gv6QRh1eddz0yHOaAIgEVlkHR9QDXlAhHeS
G7AlT4QLfj5lnDn/F/zf9AVDoTI=
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+uFColpjd9QGeSj9
r2xKlv2s9Ih5+EgNk7q3J0jOHmShRANCAAQwJvxjpACgOFq7Knjq5ah6j+YC+YAf
p0s8Ch869xeU0/Su622HDFZHWrbCii4Mn37EIv1o0clZN/CSe9WW/t8O
-----END PRIVATE KEY-----
`,
  },
};

/** One of 1,024 bits, which TLS does not take. */
export const weakCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIB/DCCAWWgAwIBAgIUbWJYx/blWSX1JDexXVkoNHyFJ3UwDQYJKoZIhvcNAQEL
BQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjExMjIwODExMThaGA8yMTI2MTAyOTA4
MTExOFowDzENMAsGA1UEAwwEd2VhazCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkC
gYEArnJ2hwz8mWRnQItijQv0VjOaZGzoLXNlt3yl2dn1NL2AVtApCy86NZwQthYs
ugsagc3HuNYtH4y2gzErQ0xRuRzHyd8UFTbIG/WE7tnkjaJC+9NUPk3dNT6HtaMY
4pkTX+54PV8gvdrYwXVHVtwUmnxenzHVdo7/vDGT7AaH1g0CAwEAAaNTMFEwHQYD
VR0OBBYEFNQgG7X/ra4fEQsmUEwB5t3h8KUnMB8GA1UdIwQYMBaAFNQgG7X/ra4f
EQsmUEwB5t3h8KUnMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEA
qxRE9GxBQouGRLdiRkFKN8RlNtbPh3DlfsfztU30SzbRdu4915n/Vp8OKFuHWdMe
jxSPyN19GJbY68FKL5plo/FLZLxfoUfMckBdpgb0Ok7Z3AcIqSbBR7D1Fv2FlQlA
QKfYYG4f+F1+1QwlabX9sqlCeujE/q+tDYndilal++U=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAK5ydocM/JlkZ0CL
Yo0L9FYzmmRs6C1zZbd8pdnZ9TS9gFbQKQsvOjWcELYWLLoLGoHNx7jWLR+MtoMx
K0NMUbkcx8nfFBU2yBv1hO7Z5I2iQvvTVD5N3TU+h7WjGOKZE1/ueD1fIL3a2MF1
R1bcFJp8Xp8x1XaO/7wxk+wGh9YNAgMBAAECgYAkn7VQryJNFe4zd8/t6seWXWkZ
kl/AQwzk08+CCCdZtjs+fp9PUM/4t1Yu1EL5oCElhU1b+eMpT4J10pnRnDE/wfLp
l/jN6QaZ/grR3v0RdqkmLtAGJg2u3IZjneuoisAvgJgZcfZvbGQjTLVhhAmJdq5+
95uCkYoVTSlUW3oaIQJBAN9xuvbcbAut9tRaGrjroJI1VkKRUUetwspl4zvFZDBu
jFCZ5luQLKknX/BbKlQWsjpOofvO7MXfCPZ8VU/IIxUCQQDH3S78aoglV+Xk9jZk
Aswil5NxpfnEkKo/yeyrZoAhqsHaH0YsoWE7JyTil1OPD6XnrNzj9tTcJkjuID/d
WQUZAkEAykyG0I/6RozHZ7T4cqnqY9Vkdrpok3PvYx3iILBzKCI+aY8c75NVzAQ5
KTzw0tcFoCKnJ3tOBUwMKlWhS61QjQJAdOO2TCgeEgETUlJxQxKjwwN1Vz1kE4Ms
HvyAr0nWXFpa36/0wbtse0UMfH1WgE/9jr55vdWpbkvx0VsJHvKmWQJAApzRHLWS
8hEdWV8ejy3auyvEbjf3NU2O8buD3EuEf27R9xr8wD2mIkbOWr1GDVTwbeYTlF0/
9q+GVXEVgeCzgA==
-----END PRIVATE KEY-----
`,
};
