/**
 * Redirection of a workload's inbound connections to its Envoy, as packet rules do: everything that
 * does not come from the Envoy itself goes to the inbound listener, with its original destination.
 *
 * @module
 */
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A workload with redirected ports. */
export interface Redirection {
  /** Address of the workload and of its Envoy. */
  readonly ip: string;
  /** Port of the inbound listener. */
  readonly inbound: number;
  /** Redirected ports, each with the port of the application behind it. */
  readonly ports: Readonly<Record<number, number>>;
}

/** Source addresses of an Envoy's connections to its application besides its own. */
const TO_APPLICATION = "127.0.0.6";

/** Starts the redirection. The original destination travels by the PROXY protocol. */
export async function startRedirection(redirection: Redirection): Promise<AsyncDisposable> {
  const { ip, ports } = redirection;
  const open = new Set<Socket>();
  const servers = Object.entries(ports).map(([port, application]) =>
    createServer((socket) => {
      const { remoteAddress = "", remotePort = 0 } = socket;
      const own = remoteAddress === ip || remoteAddress === TO_APPLICATION;
      const next = own
        ? connect({ host: "127.0.0.1", port: application })
        : connect({ host: ip, port: redirection.inbound, localAddress: remoteAddress });
      if (!own) next.write(`PROXY TCP4 ${remoteAddress} ${ip} ${remotePort} ${port}\r\n`);
      for (const [one, other] of [[socket, next], [next, socket]] as const) {
        open.add(one);
        one.on("data", (chunk: Uint8Array) => void other.write(chunk));
        one.on("error", () => one.destroy());
        one.on("close", () => {
          open.delete(one);
          other.destroy();
        });
      }
    }).listen(Number(port), ip)
  );
  await Promise.all(servers.map((server) => once(server, "listening")));
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await Promise.all(servers.map((server) => {
        const done = once(server, "close");
        server.close();
        return done;
      }));
    },
  };
}
