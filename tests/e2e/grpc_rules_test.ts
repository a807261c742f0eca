/** Routing rules of proxyless gRPC clients. */
import { comes, type Counts } from "./grpc/program.ts";
import { doc, HOST, rules, startWorld, subsets, TARGET, to } from "./grpc/world.ts";

const CALLS = { target: TARGET, count: 20 };

const only = (answer: string) => (counts: Counts): boolean => counts[answer] === CALLS.count;

Deno.test("gRPC without a proxy: rules for callers of certain labels and namespaces, and what a Sidecar imports", async () => {
  await using world = await startWorld({ servers: 3 });
  await world.write(
    "rules.yaml",
    subsets(3) + rules(
      `{match: [{sourceLabels: {app: chosen}}], ${to("v2")}}`,
      `{match: [{sourceNamespace: other}], ${to("v3")}}`,
      `{${to("v1")}}`,
    ),
  );
  const [chosen, plain, other] = await Promise.all([
    world.client({ labels: { app: "chosen" } }),
    world.client({ labels: { app: "plain" } }),
    world.client({ namespace: "other" }),
  ]);
  await comes(chosen, CALLS, "the labels to lead to v2", only("v2"));
  await comes(plain, CALLS, "other labels to lead to v1", only("v1"));
  await comes(other, CALLS, "the namespace to lead to v3", only("v3"));

  const narrow =
    `{workloadSelector: {labels: {app: plain}}, egress: [{hosts: ["./none.example"]}]}`;
  await world.write("sidecar.yaml", doc("Sidecar", "narrow", narrow));
  await comes(plain, CALLS, "what is not imported to be unknown", only("UNAVAILABLE"));
  await comes(chosen, CALLS, "others to see it", only("v2"));
  const wide = `{workloadSelector: {labels: {app: plain}}, egress: [{hosts: ["./${HOST}"]}]}`;
  await world.write("sidecar.yaml", doc("Sidecar", "narrow", wide));
  // This library asks for no routes when a target comes back; a program that starts does.
  const later = await world.client({ labels: { app: "plain" } });
  await comes(later, CALLS, "what is imported to be known", only("v1"));
});

Deno.test("gRPC without a proxy: shares, headers, retries, time limits, faults and answers without a service", async () => {
  // The service has sticky sessions, which libraries do not support.
  await using world = await startWorld({
    servers: 2,
    labels: "mesh.io/persistent-session: stay",
    env: { PILOT_ENABLE_PERSISTENT_SESSION_FILTER: "true" },
  });
  const client = await world.client();
  const match = (what: string, then: string): string =>
    `{match: [{headers: {what: {exact: ${what}}}}], ${then}}`;
  const both = `route: [{destination: {host: ${HOST}, subset: v1}, weight: 75}, ` +
    `{destination: {host: ${HOST}, subset: v2}, weight: 25}]`;
  await world.write(
    "rules.yaml",
    subsets(2) + rules(
      match("shares", both),
      match("retried", `retries: {attempts: 2, retryOn: "5xx,unavailable"}, ${to("v1")}`),
      match("tried", `retries: {attempts: 0}, ${to("v1")}`),
      match("limited", `timeout: 0.2s, ${to("v1")}`),
      match(
        "fault",
        `fault: {abort: {grpcStatus: UNAUTHENTICATED, percentage: {value: 100}}}, ${to("v1")}`,
      ),
      match("answer", "directResponse: {status: 403}"),
      match("mirror", `mirror: {host: ${HOST}, subset: v1}, rewrite: {uri: /x}, ${to("v2")}`),
      `{match: [{withoutHeaders: {off: {exact: "yes"}}, method: {exact: POST}}], ${to("v2")}}`,
      `{match: [{queryParams: {a: {exact: b}}}], directResponse: {status: 500}}`,
      `{${to("v1")}}`,
    ),
  );
  const asking = (what: string, more = {}) => ({ ...CALLS, headers: { what, ...more } });
  await comes(client, asking("nothing"), "a header's absence to lead to v2", only("v2"));
  const off = { ...CALLS, headers: { off: "yes" } };
  await comes(client, off, "the header's value to lead past the rule", only("v1"));
  const no = { ...CALLS, headers: { off: "no" } };
  await comes(client, no, "another value to lead to v2", only("v2"));
  const many = { ...asking("shares"), count: 200 };
  await comes(
    client,
    many,
    "calls to be shared",
    ({ v1 = 0, v2 = 0 }) => v1 + v2 === 200 && v1 > 110 && v2 > 15,
  );
  const failing = { please: "fail-first" };
  await comes(client, asking("retried", failing), "calls to be tried again", only("v1"));
  await comes(client, asking("tried", failing), "calls to be tried once", only("UNAVAILABLE"));
  // The program itself would wait for longer than the test.
  const hanging = { ...asking("limited", { please: "hang" }), deadlineMs: 120_000, count: 1 };
  await comes(client, hanging, "the limit to end a call", (t) => t.DEADLINE_EXCEEDED === 1);
  await comes(client, asking("fault"), "the fault to strike", only("UNAUTHENTICATED"));
  await comes(client, asking("answer"), "403 to forbid", only("PERMISSION_DENIED"));
  await comes(client, asking("mirror"), "what libraries cannot do to be left out", only("v2"));
});
