/**
 * Access to proxyless gRPC servers: a condition that the library cannot check denies all callers.
 */
import { comes, type Counts } from "./grpc/program.ts";
import { doc, startWorld, TARGET } from "./grpc/world.ts";

const CALLS = { target: TARGET, count: 10 };

const only = (answer: string) => (counts: Counts): boolean => counts[answer] === CALLS.count;

const policy = (name: string, spec: string): string => doc("AuthorizationPolicy", name, spec);

Deno.test("gRPC without a proxy: ALLOW, DENY, and conditions that a server's library does not support", async () => {
  await using world = await startWorld({ servers: 1, mesh: true });
  const client = await world.client();
  const as = (who: string) => ({ ...CALLS, headers: { who } });
  const known = `{to: [{operation: {paths: ["/test.Echo/*"], methods: [POST]}}], ` +
    `when: [{key: "request.headers[who]", values: [known]}]}`;
  const denied = `{action: DENY, rules: [{when: [{key: "request.headers[who]", values: [bad]}]}]}`;
  await world.write("access.yaml", policy("allow", `{rules: [${known}]}`) + policy("deny", denied));
  await comes(client, as("known"), "one who is known to be let in", only("v1"));
  await comes(client, as("other"), "others to be kept out", only("PERMISSION_DENIED"));

  // Selects callers without a token of this kind; if no tokens exist, all callers match.
  const tokens = `{rules: [{from: [{source: {notRequestPrincipals: ["issuer/bad"]}}]}]}`;
  await world.write("access.yaml", policy("tokens", tokens));
  await comes(client, as("known"), "what tokens decide to forbid", only("PERMISSION_DENIED"));

  const asked = `{action: CUSTOM, provider: {name: nobody}, rules: [` +
    `{when: [{key: "request.headers[who]", values: [asked]}]}]}`;
  // Nothing is enforced of a policy that is only tried or only logs.
  const logged = `{action: AUDIT, rules: [{}]}`;
  await world.write("access.yaml", policy("custom", asked) + policy("audit", logged));
  await comes(client, as("other"), "what needs no asking to be let in", only("v1"));
  await comes(client, as("asked"), "what needs asking to be kept out", only("PERMISSION_DENIED"));
});
