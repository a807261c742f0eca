/**
 * Cases of connections at gateways: TCPRoute, TLSRoute, clients without certificates, TLS to backends.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, askTcp, eventually } from "../../../scripts/harness/mod.ts";
import { answersHttps, askTls, requestOf } from "../tls/bench.ts";
import { documents, type Spec } from "../../support/manifest.ts";
import { api, by, type GatewayCase, hostOf, route, service, status, to } from "./bench.ts";

/** The text that answers a datagram from a new client; none: nothing comes in time. */
function askUdp(host: string, port: number, waitMs = 10_000): Promise<string | undefined> {
  const socket = createSocket("udp4");
  return new Promise((resolve, reject) => {
    const end = (answer: string | undefined) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined), waitMs);
    socket.on("message", (message) => end(message.toString()));
    socket.on("error", reject);
    socket.send("ping", port, host);
  });
}

/** A server that answers datagrams with its name. */
async function startUdpBackend(name: string): Promise<AsyncDisposable & { readonly port: number }> {
  const socket = createSocket("udp4");
  socket.on("message", (_, { address, port }) => socket.send(name, port, address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

/** Group of kinds that are tried out. */
const EXPERIMENTAL = "gateway.networking.x-k8s.io";

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const CONNECTION_CASES: readonly GatewayCase[] = [
  {
    name: "TCPRoutes forward connections, and another one after a change",
    run: async ({ world, ports, each }) => {
      const write = (name: string) =>
        world.config.write(
          "tcp.yaml",
          route("TCPRoute", "tcp", { rules: [{ backendRefs: [to(name)] }] }),
        );
      for (const name of ["bytes-a", "bytes-b"]) {
        await write(name);
        await each("router", async ({ address }) => {
          await eventually(name, async () => await askTcp(address, ports.tcp) === name);
        });
      }
      await world.config.remove("tcp.yaml");
      await each("router", async ({ address }) => {
        await eventually("a port that is closed", async () => {
          return await askTcp(address, ports.tcp).then(() => false, () => true);
        });
      });
    },
  },
  {
    name: "UDPRoutes forward datagrams, in shares, and to another server after a change",
    run: async ({ world, ports, each }) => {
      await using a = await startUdpBackend("grams-a");
      await using b = await startUdpBackend("grams-b");
      const write = (backendRefs: readonly Spec[]) =>
        world.config.write("udp.yaml", route("UDPRoute", "udp", { rules: [{ backendRefs }] }));
      await world.config.write(
        "grams.yaml",
        documents(
          service("grams-a", a.port, { protocol: "UDP" }),
          service("grams-b", b.port, { protocol: "UDP" }),
        ),
      );
      for (const name of ["grams-a", "grams-b"]) {
        await write([to(name)]);
        await each("router", async ({ address }) => {
          await eventually(name, async () => await askUdp(address, ports.udp, 500) === name);
        });
      }
      await write([to("grams-a", { weight: 1 }), to("grams-b", { weight: 3 })]);
      await each("router", async ({ address }) => {
        await eventually("a", async () => await askUdp(address, ports.udp, 500) === "grams-a");
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => askUdp(address, ports.udp)),
        );
        const ofB = answers.filter((one) => one === "grams-b").length;
        assert.ok(ofB > 20 && ofB < 40, `${ofB} of 40 for b: ${answers}`);
      });
      await world.config.remove("udp.yaml");
      await each("router", async ({ address }) => {
        await eventually(
          "no answer",
          async () => await askUdp(address, ports.udp, 500).catch(() => undefined) === undefined,
        );
      });
    },
  },
  {
    name: "TLSRoutes forward what is inside of TLS that the listener ends",
    run: async ({ world, ports, pki, each }) => {
      await world.config.write(
        "ends.yaml",
        route("TLSRoute", "ends", {
          hostnames: ["one.tls.test"],
          rules: [{ backendRefs: [to("a")] }],
        }),
      );
      await each("router", async ({ address }) => {
        const trusted = { trusts: pki.authority };
        await answersHttps(address, ports.ends, "a", { sni: "one.tls.test", ...trusted });
        const other = { sni: "two.tls.test", ...trusted };
        await assert.rejects(askTls(address, ports.ends, requestOf("two.tls.test"), other));
      });
    },
  },
  {
    name:
      "clients without a certificate, and with one of another authority, under AllowInsecureFallback",
    run: async ({ world, ports, pki, each }) => {
      await world.config.write(
        "open.yaml",
        route("HTTPRoute", "open", {
          hostnames: ["one.tls.test"],
          rules: [{ backendRefs: [to("a")] }],
        }),
      );
      const common = { sni: "one.tls.test", trusts: pki.authority };
      await each("router", async ({ address }) => {
        for (const as of [undefined, pki.client, pki.stranger]) {
          const options = as === undefined ? common : { ...common, as };
          await answersHttps(address, ports.open, "a", options);
        }
      });
    },
  },
  {
    name:
      "BackendTLSPolicies: a server of the authority, of another one, of another name, and none",
    run: async ({ world, meets }) => {
      const secret = (name: string) => [{ group: "", kind: "Secret", name }];
      const policy = (hostname: string, authority: string) =>
        api("BackendTLSPolicy", "secure", {
          targetRefs: [{ group: "", kind: "Service", name: "secure" }],
          validation: { hostname, caCertificateRefs: secret(authority) },
        });
      const write = (text: string) => world.config.write("backend-tls.yaml", text);
      await world.config.write(
        "secure.yaml",
        route("HTTPRoute", "secure", {
          hostnames: ["backend-tls.test"],
          rules: [{ backendRefs: [to("secure")] }],
        }),
      );
      const host = "backend-tls.test";
      await write(policy("secure.test", "one"));
      await meets({ host }, by("secure"));
      await write(policy("other.test", "one"));
      await meets({ host }, status(503));
      await write(policy("secure.test", "one"));
      await meets({ host }, by("secure"));
      await write(policy("secure.test", "strange"));
      await meets({ host }, status(503));
      await write(policy("secure.test", "one"));
      await meets({ host }, by("secure"));
      await write(policy("secure.test", "absent"));
      await meets({ host }, status(503));
    },
  },
  {
    name:
      "BackendTLSPolicies: sidecars know the authority, gateways show the certificate that theirs names",
    run: async ({ world, meets, meshPort }) => {
      const policy = (name: string) =>
        api("BackendTLSPolicy", name, {
          targetRefs: [{ group: "", kind: "Service", name }],
          validation: {
            hostname: "secure.test",
            caCertificateRefs: [{ group: "", kind: "Secret", name: "one" }],
          },
        });
      await world.config.write(
        "asked.yaml",
        documents(
          ...["asks", "inside-secure"].map(policy),
          route("HTTPRoute", "asked", {
            hostnames: ["asked.test"],
            rules: [{ backendRefs: [to("asks")] }],
          }),
          route("HTTPRoute", "unasked", {
            hostnames: ["unasked.test"],
            rules: [{ backendRefs: [to("inside-secure", { port: meshPort })] }],
          }),
        ),
      );
      await meets({ host: "asked.test" }, by("asks"));
      await meets({ host: "unasked.test" }, by("secure"));
      await meets({ kind: "sidecar", host: hostOf("inside-secure") }, by("secure"));
    },
  },
  {
    name: "XBackends: a host outside of the mesh, with TLS and without, for gateways and sidecars",
    run: async ({ world, meets, meshPort, pair: [a], secure }) => {
      const external = (port: number, tls?: Spec) =>
        api("XBackend", "outside", {
          type: "ExternalHostname",
          externalHostname: { hostname: "localhost" },
          port: { port },
          ...(tls === undefined ? {} : { tls }),
        }).replace("gateway.networking.k8s.io/v1", `${EXPERIMENTAL}/v1alpha1`);
      const checked = (authority: string) => ({
        mode: "ServerOnly",
        validation: {
          hostname: "secure.test",
          caCertificateRefs: [{ group: "", kind: "Secret", name: authority }],
        },
      });
      const backendRefs = [{ group: EXPERIMENTAL, kind: "XBackend", name: "outside" }];
      const inside = hostOf("inside-b");
      await world.config.write(
        "outside-routes.yaml",
        documents(
          route("HTTPRoute", "outside", { hostnames: ["outside.test"], rules: [{ backendRefs }] }),
          api("HTTPRoute", "inside-out", {
            parentRefs: [{ group: "", kind: "Service", name: "inside-b", port: meshPort }],
            rules: [{ backendRefs }],
          }),
        ),
      );
      const bothMeet = async (right: (answer: Answer) => boolean) => {
        await meets({ host: "outside.test" }, right);
        await meets({ kind: "sidecar", host: inside }, right);
      };
      const write = (text: string) => world.config.write("outside.yaml", text);
      await write(external(a!.port));
      await bothMeet(by("a"));
      await write(external(secure, checked("one")));
      await bothMeet(by("secure"));
      await write(external(secure, checked("strange")));
      await bothMeet(status(503));
      await world.config.remove("outside.yaml");
      await meets({ host: "outside.test" }, status(500));
      await world.config.remove("outside-routes.yaml");
      await meets({ kind: "sidecar", host: inside }, by("b"));
    },
  },
];
