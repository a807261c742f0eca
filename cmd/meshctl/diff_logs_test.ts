/** Requests of access logs that `diff` compares beside those of the configuration. */
import assert from "node:assert/strict";
import { ITEMS_MESH } from "../../tests/support/items_mesh.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

/** Denies one path that no object has named before. */
const CHANGE = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-reports, namespace: shop}
spec: {action: DENY, rules: [{to: [{operation: {paths: ["/reports/*"]}}]}]}
`;

/** A line in the text format that is built in. */
function textLine(path: string, remote = "172.16.0.9", id = "a"): string {
  return `[2026-01-02T03:04:05.678Z] "GET ${path} HTTP/1.1" 200 - via_upstream - "-" 0 5 1 1 "-" ` +
    `"curl/8" "${id}" "items.example" "172.16.0.1:80" outbound|80||items.example 1.1.1.1:1 ` +
    `10.1.0.1:80 ${remote}:40000 - default`;
}

const JSON_LINE = JSON.stringify({
  ...{ method: "GET", path: "/items/1", response_code: 200, authority: "items.example" },
  ...{ upstream_cluster: "outbound|80||items.example", user_agent: "curl/8" },
  downstream_remote_address: "172.16.0.9:40000",
});

async function diff(log: string, ...flags: string[]) {
  const dir = await Deno.makeTempDir({ prefix: "mesh-diff-" });
  try {
    for (
      const [name, text] of [["mesh.yaml", ITEMS_MESH], ["change.yaml", CHANGE], ["a.log", log]]
    ) {
      await Deno.writeTextFile(`${dir}/${name}`, text!);
    }
    const [out, err, status] = await runInProcess(MESHCTL, [
      ...["diff", "--config-dir", `${dir}/mesh.yaml`, "-f", `${dir}/change.yaml`],
      ...["--access-log", `${dir}/a.log`, ...flags],
    ]);
    return { out, err, status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("diff: requests of access logs are tried, equal ones once, in both formats", async () => {
  const log = [
    textLine("/reports/7", "172.16.0.9", "a"),
    textLine("/reports/7", "172.16.0.9", "b"),
    JSON_LINE,
    textLine("/items/1", "203.0.113.5"),
    "[info] starting the proxy",
    "",
  ].join("\n");
  const { out, status } = await diff(log);
  assert.equal(status, 0);
  assert.match(
    out,
    /^Of 3 requests of access logs 2 newly denied, 0 newly allowed, 0 moved, 0 not known; 1 more are of proxies that are not known\.$/m,
  );
  assert.match(
    out,
    /^newly denied: front\.web http:\/\/items\.example:80\/reports\/7 \(user-agent: curl\/8\), seen 2 times$/m,
  );
  assert.match(
    out,
    /^note: lines that were left out of .*a\.log, because they are not in a .*: 5$/m,
  );
  const { requests } = JSON.parse((await diff(log, "-o", "json")).out);
  assert.deepEqual(requests.seen, {
    ...{ lines: 3, denied: 2, allowed: 0, moved: 0, unknown: 0, strange: 1 },
  });
  assert.match((await diff(log, "-o", "markdown")).out, /^Of 3 requests of access logs 2 newly/m);
});

Deno.test("diff: a log without a line in a built-in format is refused by line", async () => {
  const { err, status } = await diff("\n10.0.0.1 - - [02/Jan/2026] GET / 200\n");
  assert.match(err, /a\.log:2: the line is not in a built-in format of access logs/);
  assert.equal(status, 65);
});
