/**
 * Cases of evasions of forbidding rules.
 *
 * @module
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { becomes, inPlain, type SecurityCase } from "./case.ts";
import { authorization, type SecurityWorld, SERVER } from "./world.ts";

/** Sends a request line and a host as they are to the server's proxy; the answer's status, 0 for none. */
function raw({ http }: SecurityWorld, target: string, host: string): Promise<number> {
  return rawTo({ address: SERVER, port: http }, target, host);
}

/** The same to any proxy. */
export function rawTo(
  { address, port }: { readonly address: string; readonly port: number },
  target: string,
  host: string,
): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, address, () => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    let text = "";
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      // Envoy leaves a connection open for a while after its last word.
      if (text.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
  });
}

/** Targets by which some server behind the proxy would understand `/admin/keys`. */
export const TARGETS: Readonly<Record<string, string>> = {
  "a fragment": "/admin/keys#x",
  "an escaped fragment sign after it": "/admin/keys;%23",
  "an escaped slash": "/admin%2fkeys",
  "an escaped slash in capitals": "/admin%2Fkeys",
  "an escaped backslash": "/admin%5ckeys",
  "a backslash": "/admin\\keys",
  "two slashes at the start": "//admin/keys",
  "two slashes within": "/admin//keys",
  "a parameter at the end": "/admin/keys;v=1",
  "a parameter within": "/admin;v=1/keys",
  "a dot segment": "/admin/./keys",
  "dots that go back": "/open/../admin/keys",
  "escaped dots": "/open/%2e%2e/admin/keys",
  "an escaped letter": "/%61dmin/keys",
  "a whole address": "http://shop.test/admin/keys",
  "a query": "/admin/keys?x=1",
};

/** Names by which some server would understand `forbidden.test`. */
export const HOSTS: Readonly<Record<string, string>> = {
  "in capitals": "FORBIDDEN.Test",
  "with a final dot": "forbidden.test.",
  "with a port": "forbidden.test:8080",
  "with a dot and a port": "Forbidden.test.:80",
};

export const EVASION_CASES: readonly SecurityCase[] = [
  {
    name: "paths",
    run: async (world) => {
      const deny = (paths: readonly string[]): string =>
        authorization("paths", { action: "DENY", rules: [{ to: [{ operation: { paths } }] }] });
      for (const paths of [["/admin/keys"], ["/admin/*"], ["*/keys"], ["/{*}/keys"]]) {
        await world.apply(deny(paths));
        await becomes("the path itself", 403, () => inPlain(world, "/admin/keys"));
        await becomes("another path", 200, () => inPlain(world, "/open"));
        for (const [how, target] of Object.entries(TARGETS)) {
          const status = await raw(world, target, "shop.test");
          assert.ok(status === 403 || status === 400, `${paths}: ${how}: ${target} gave ${status}`);
        }
      }
    },
  },
  {
    name: "paths that a rule which allows leaves out",
    run: async (world) => {
      const operation = { paths: ["*"], notPaths: ["/admin/keys"] };
      await world.apply(authorization("not", { rules: [{ to: [{ operation }] }] }));
      await becomes("another path", 200, () => inPlain(world, "/open"));
      for (const [how, target] of Object.entries(TARGETS)) {
        const status = await raw(world, target, "shop.test");
        assert.ok(status === 403 || status === 400, `${how}: ${target} gave ${status}`);
      }
    },
  },
  {
    name: "hosts",
    run: async (world) => {
      for (const host of ["forbidden.test", "*.test", "forbidden.*"]) {
        const operation = { hosts: [host], notHosts: ["shop.test"] };
        const spec = { action: "DENY", rules: [{ to: [{ operation }] }] };
        await world.apply(authorization("hosts", spec));
        await becomes("another host", 200, () => inPlain(world, "/"));
        for (const [how, name] of Object.entries(HOSTS)) {
          assert.equal(await raw(world, "/", name), 403, `${host}: ${how}: ${name}`);
        }
      }
    },
  },
];

/** Handling of `#` in a path, for proxies that remove the fragment and for others. */
export function fragmentCase(cut: boolean): SecurityCase {
  return {
    name: cut ? "fragments are cut off" : "fragments are refused",
    run: async (world) => {
      await world.apply();
      await becomes("a path", 200, () => raw(world, "/open", "shop.test"));
      await becomes(
        "a path with a fragment",
        cut ? 200 : 400,
        () => raw(world, "/open#x", "shop.test"),
      );
    },
  };
}
