import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { create } from "../../kit/proto/mod.ts";
import { bothSides } from "./sides.ts";

Deno.test("a listener with many chains and names is told in a short sentence", () => {
  const names = (i: number) => Array.from({ length: 9 }, (_, j) => `n${j}.h${i}.test`);
  const listener = create(ListenerSchema, {
    filterChains: Array.from({ length: 1_000 }, (_, i) => ({
      filterChainMatch: { serverNames: names(i), transportProtocol: "tls" },
    })),
  });
  const call = {
    direction: "outbound",
    source: { ip: "10.0.0.2" },
    destination: { ip: "10.0.0.1", port: 443 },
  } as const;
  const sentence = bothSides(listener, call);
  assert.match(
    sentence,
    /^the client sends bytes that are no HTTP in plain text to port 443, where TLS for n0\.h0\.test, /,
  );
  assert.match(sentence, /n3\.h0\.test, 5 more or TLS for .* or 996 more is accepted$/);
  assert.ok(sentence.length < 600, `${sentence.length}`);
});
