/**
 * `deno task bench cli [--files=5000] [--services=1000]`: wall time of `meshctl manifest generate`, of
 * `meshctl analyze` over many files, and of `meshctl diff` and `meshctl explain request` in a mesh of
 * services with a VirtualService on every second and two subsets on every fourth. Each is a process
 * of its own, run three times; the best counts. The same commands are asked of a daemon.
 *
 * @module
 */
import { fromFileUrl } from "../../../scripts/paths.ts";
import { eventually, startDaemon } from "../../../scripts/harness/mod.ts";
import { connectJudging } from "../../support/judging_client.ts";
import { numberFlag } from "../flags.ts";

const MAIN = fromFileUrl(new URL("../../../cmd/meshctl/main.ts", import.meta.url));
const RUNS = 3;

function service(i: number): string {
  const endpoints = [1, 2, 3, 4, 5].map((n) =>
    `  - {address: 10.${i >> 8 & 255}.${i & 255}.${n}, labels: {app: s${i}, version: v${
      n % 2 + 1
    }}}`
  );
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: s${i}, namespace: ns-${i % 20}}
spec:
  hosts: [s${i}.example]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.200.${i >> 8 & 255}.${i & 255}]
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints:
${endpoints.join("\n")}
`;
}

function route(i: number, timeout = "5s"): string {
  return `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: s${i}, namespace: ns-${i % 20}}
spec:
  hosts: [s${i}.example]
  http: [{timeout: ${timeout}, route: [{destination: {host: s${i}.example}}]}]
`;
}

function rule(i: number): string {
  return `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: s${i}, namespace: ns-${i % 20}}
spec:
  host: s${i}.example
  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
`;
}

/** Writes the files of a mesh with this many services; returns the number of files. */
async function writeMesh(dir: string, services: number, limit = Infinity): Promise<number> {
  let files = 0;
  for (let i = 0; i < services && files < limit; i++) {
    const texts = [service(i), ...i % 2 === 0 ? [route(i)] : [], ...i % 4 === 0 ? [rule(i)] : []];
    for (const [at, text] of texts.entries()) {
      if (files++ < limit) await Deno.writeTextFile(`${dir}/s${i}-${at}.yaml`, text);
    }
  }
  return files;
}

/** Runs meshctl and prints its wall time. */
async function measure(name: string, args: readonly string[], accepted: number): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", MAIN, ...args],
      stdout: "null",
      stderr: "piped",
    }).output();
    times.push(performance.now() - began);
    if (code !== accepted) throw new Error(`${name}: ${code} ${new TextDecoder().decode(stderr)}`);
  }
  console.log(`${name}: ${Math.round(Math.min(...times))} ms`);
}

/** Measures the commands that ask a daemon with the mesh, to which two proxies are connected. */
async function measureDaemon(
  { mesh, change, services }: {
    readonly mesh: string;
    readonly change: string;
    readonly services: number;
  },
): Promise<void> {
  await Deno.writeTextFile(`${mesh}/z.yaml`, refusing(3));
  await using daemon = await startDaemon({ configDir: mesh });
  const clients = [1, 2].map((i) =>
    connectJudging(daemon.xds, {
      ...{ name: `s${i}`, namespace: `ns-${i}`, ip: `10.0.${i}.1` },
      labels: { app: `s${i}`, version: "v2" },
    })
  );
  try {
    await eventually(
      "clusters",
      () =>
        Promise.resolve(
          clients.every(({ held }) => held.has(`outbound|80||s${services - 1}.example`)),
        ),
    );
    const at = ["--daemon", daemon.http];
    const request = ["explain", "request", ...at, "--from", "s1.ns-1", "--to"];
    await measure(
      `explain request of a daemon with ${services} services`,
      [...request, "s6.example/"],
      0,
    );
    await measure(
      `explain request of that daemon, denied, with the deciding objects`,
      [...request, "s3.example/"],
      1,
    );
    await measure(
      `diff of one VirtualService with that daemon`,
      ["diff", ...at, "-f", change],
      0,
    );
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]();
  }
}

/** A VirtualService that answers requests to a service with an error. */
function refusing(i: number): string {
  return route(i).replace(/http: .*/, "http: [{directResponse: {status: 418}}]");
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const files = numberFlag("files", 5000);
  const services = numberFlag("services", 1000);
  const dir = await Deno.makeTempDir({ prefix: "mesh-bench-cli-" });
  try {
    const [many, mesh, change] = [`${dir}/many`, `${dir}/mesh`, `${dir}/change.yaml`];
    await Deno.mkdir(many);
    await Deno.mkdir(mesh);
    await writeMesh(many, files, files);
    await writeMesh(mesh, services);
    await Deno.writeTextFile(change, route(0, "7s"));
    await measure("version", ["version", "--remote=false"], 0);
    await measure("manifest generate", ["manifest", "generate"], 0);
    await measure(
      `analyze of ${files} files`,
      ["analyze", "--use-kube=false", "--failure-threshold", "Error", many],
      0,
    );
    const at = ["--config-dir", mesh];
    await measure(
      `explain request among ${services} services`,
      ["explain", "request", ...at, "--from", "s1-0.ns-1", "--to", "s2.example/"],
      0,
    );
    await measure(
      `diff of one VirtualService among ${services} services`,
      ["diff", ...at, "-f", change],
      0,
    );
    await measureDaemon({ mesh, change, services });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
