/**
 * `deno task bench ca [--requests=1000 --clients=100]`: by the kinds of the root's and the workload's
 * keys, certificates a second, certificates for each CPU second of the process that signs, and the
 * drift of its event loop while the requests arrive, beside that of an idle loop at the same time. The
 * clients run in a process of their own. Each request has a TLS-less connection of its own.
 *
 * @module
 */
import { certificateService, createIssuance } from "../../../lib/cluster/ca/mod.ts";
import {
  createCsr,
  generateKey,
  issueAuthority,
  type Issuer,
  type KeyKind,
  parseSpiffe,
  trustBundle,
} from "../../../lib/kit/pki/mod.ts";
import { startRpc } from "../../../lib/kit/rpc/mod.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { cpuSeconds } from "../push/measure.ts";
import { type Drift, startDrift } from "./drift.ts";
import type { Load } from "./clients.ts";

const HOUR = 3_600_000;
const CLIENTS = new URL("./clients.ts", import.meta.url).pathname;
const KINDS: Readonly<Record<string, KeyKind>> = {
  RSA: { type: "rsa", bits: 2048 },
  ECDSA: { type: "ecdsa", curve: "P256" },
};

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const requests = numberFlag("requests", 1000);
  const clients = numberFlag("clients", 100);
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  using idle = await startIdle();
  console.log(`${"".padEnd(17)}certificates  of a CPU   drift: median, 99 %, longest (ms)`);
  console.log(`root   workload     a second    second  of the daemon's loop   of an idle loop`);
  for (const [rootName, rootKind] of Object.entries(KINDS)) {
    await using server = await serve(await rootOf(rootKind));
    for (const [name, kind] of Object.entries(KINDS)) {
      const csr = await createCsr(await generateKey(kind), []);
      const target = server.address;
      await load({ target, csr, requests: 100, clients: 5 });
      const cpu = await cpuSeconds(Deno.pid);
      const end = startDrift();
      idle.begin();
      const seconds = await load({ target, csr, requests, clients });
      const drifts = [end(), await idle.end()];
      const used = await cpuSeconds(Deno.pid) - cpu;
      const rates = [requests / seconds, requests / used].map((one) => one.toFixed(0).padStart(10));
      const times = drifts.map((one) => driftText(one).padStart(21)).join("");
      console.log(`${rootName.padEnd(7)}${name.padEnd(10)}${rates.join("")}${times}`);
    }
  }
}

function driftText({ median, high, longest }: Drift): string {
  return [median, high, longest].map((ms) => ms.toFixed(0).padStart(5)).join("");
}

/** Starts the idle loop. */
async function startIdle() {
  const worker = new Worker(new URL("./idle.ts", import.meta.url), { type: "module" });
  const next = () =>
    new Promise<Drift>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data as Drift);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  await next();
  return {
    begin: () => worker.postMessage("begin"),
    end: () => {
      const drift = next();
      worker.postMessage("end");
      return drift;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}

async function rootOf(kind: KeyKind): Promise<Issuer> {
  const key = await generateKey(kind);
  const now = Date.now();
  const validity = { notBefore: now - HOUR, notAfter: now + 1000 * HOUR };
  return { key, certificate: await issueAuthority({ organization: "bench", key, ...validity }) };
}

async function serve(issuer: Issuer) {
  const root = issuer.certificate;
  const authority = { issuer, intermediates: [], root, bundle: trustBundle([root]) };
  const identity = parseSpiffe("spiffe://cluster.local/ns/bench/sa/bench")!;
  const service = certificateService({
    issuance: createIssuance({
      authority: {
        current: () => authority,
        onChange: () => () => {},
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      defaultTtlMs: HOUR,
      maxTtlMs: HOUR,
      clock: () => Date.now(),
    }),
    authenticate: () => Promise.resolve({ kind: "jwt", identities: [identity] }),
    mayImpersonate: () => Promise.resolve(false),
    limit: () => true,
  });
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [service],
    limits: { maxReceive: 1024 * 1024, maxStreams: 10_000 },
    keepalive: { interval: 60_000, timeout: 10_000 },
  });
  return { address: server.address, [Symbol.asyncDispose]: () => server.stop(100) };
}

/** Sends the requests from a process; resolves to the seconds that they took. */
async function load(settings: Load): Promise<number> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", CLIENTS, JSON.stringify(settings)],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the clients failed");
  return Number(new TextDecoder().decode(stdout));
}
