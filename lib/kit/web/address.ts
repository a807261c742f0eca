import { MeshError } from "../base/mod.ts";

/** Address of a listener. */
export interface ListenAddress {
  /** Without brackets; `::` accepts both address families. */
  readonly hostname: string;
  readonly port: number;
}

const MAX_PORT = 65_535;

/**
 * Reads `host:port`, `[v6]:port`, `:port` or `*:port`; the last two mean all addresses. Port 0
 * has the system choose one.
 *
 * @throws {MeshError} `address-invalid`, naming the text and the accepted form.
 */
export function parseAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]*)\]|([^:\[\]]*)):(\d{1,5})$/.exec(text) ??
    [];
  const port = Number(digits);
  if (digits === "" || port > MAX_PORT) {
    throw new MeshError("address-invalid", `${JSON.stringify(text)} is not an address`, {
      remedy:
        "Write host:port or :port, with brackets round IPv6: 127.0.0.1:8080, [::1]:8080, :8080.",
    });
  }
  const host = bracketed ?? plain ?? "";
  return { hostname: host === "" || host === "*" ? "::" : host, port };
}

/** `host:port`, with brackets where they are needed. */
export function formatAddress({ hostname, port }: ListenAddress): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** True for addresses and names that lead to this machine only. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^::ffff:/, "").replace(/\.$/, "");
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" ||
    /^127(\.\d{1,3}){3}$/.test(host);
}
