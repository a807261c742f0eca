import assert from "node:assert/strict";
import { type GrpcAddress, parseGrpcAddress } from "./address.ts";

Deno.test("addresses to listen on", () => {
  const cases: [text: string, want: GrpcAddress | undefined][] = [
    [":15010", { kind: "tcp", host: "", port: 15010 }],
    ["127.0.0.1:0", { kind: "tcp", host: "127.0.0.1", port: 0 }],
    ["localhost:80", { kind: "tcp", host: "localhost", port: 80 }],
    ["[::1]:15012", { kind: "tcp", host: "::1", port: 15012 }],
    ["unix:/run/xds", { kind: "unix", path: "/run/xds" }],
    ["unix:///run/xds", { kind: "unix", path: "/run/xds" }],
    ["unix:./etc/XDS", { kind: "unix", path: "./etc/XDS" }],
    ["", undefined],
    ["15010", undefined],
    ["::1:15010", undefined],
    [":65536", undefined],
    [":-1", undefined],
    ["unix:", undefined],
    ["http://x:1", undefined],
  ];
  for (const [text, want] of cases) {
    if (want) assert.deepEqual(parseGrpcAddress(text), want, text);
    else assert.throws(() => parseGrpcAddress(text), { code: "rpc-address-invalid" }, text);
  }
});
