/**
 * `deno task bench ca [--requests=1000 --clients=100]`: certificates a second by the kinds of the
 * root's and the workload's keys, and the drift of the event loop while the requests arrive. The
 * clients run in a worker of their own. Each request has a TLS-less connection of its own.
 *
 * @module
 */
import { certificateService, createIssuance } from "../../lib/ca/mod.ts";
import {
  createCsr,
  generateKey,
  issueAuthority,
  type Issuer,
  type KeyKind,
  parseSpiffe,
  trustBundle,
} from "../../lib/pki/mod.ts";
import { startRpc } from "../../lib/rpc/mod.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import type { Load } from "./clients.ts";

const HOUR = 3_600_000;
/** Interval of the timer whose drift is measured, ms. */
const TICK_MS = 5;
const KINDS: Readonly<Record<string, KeyKind>> = {
  RSA: { type: "rsa", bits: 2048 },
  ECDSA: { type: "ecdsa", curve: "P256" },
};

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const requests = numberFlag("requests", 1000);
  const clients = numberFlag("clients", 100);
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  console.log("root   workload  certificates/s  drift: median  99 %  longest (ms)");
  for (const [rootName, rootKind] of Object.entries(KINDS)) {
    await using server = await serve(await rootOf(rootKind));
    for (const [name, kind] of Object.entries(KINDS)) {
      const csr = await createCsr(await generateKey(kind), []);
      await load({ target: server.address, csr, requests: 20, clients: 5 });
      const drift = startDrift();
      const seconds = await load({ target: server.address, csr, requests, clients });
      const { median, high, longest } = drift();
      const perSecond = (requests / seconds).toFixed(0).padStart(14);
      const times = [median, high, longest].map((ms) => ms.toFixed(0).padStart(6)).join("");
      console.log(`${rootName.padEnd(7)}${name.padEnd(10)}${perSecond}  ${times}`);
    }
  }
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

/** Sends the requests from a worker; resolves to the seconds that they took. */
async function load(settings: Load): Promise<number> {
  const worker = new Worker(new URL("./clients.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<number>((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data === "ready") worker.postMessage(settings);
        else resolve(data as number);
      };
      worker.onerror = (event) => reject(new Error(event.message));
    });
  } finally {
    worker.terminate();
  }
}

/** Measures how late a timer is; the returned function ends it. */
function startDrift() {
  const drifts: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    drifts.push(Math.max(0, now - last - TICK_MS));
    last = now;
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    drifts.sort((a, b) => a - b);
    const at = (part: number) => drifts[Math.floor(drifts.length * part)] ?? 0;
    return { median: at(0.5), high: at(0.99), longest: drifts.at(-1) ?? 0 };
  };
}
