/**
 * Outbound listeners.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  outboundHttpListener,
  outboundTcpListener,
  virtualOutbound,
} from "../../../lib/mesh/envoy/mod.ts";
import { FULL, JSON_LOG, logged, MANAGER_DEFAULTS, one, TEXT_LOG } from "./listener_values.ts";

const manager = MANAGER_DEFAULTS;

const http80 = { bind: "0.0.0.0", port: 80, routeName: "80" };

/** Name of the case → the listener. */
export const OUTBOUND_CASES: Readonly<Record<string, () => Listener>> = {
  outbound_http: () => outboundHttpListener({ ...http80, bindToPort: false, manager }),
  outbound_http_fallthrough: () =>
    outboundHttpListener({
      ...http80,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      manager,
    }),
  outbound_http_bound: () =>
    outboundHttpListener({ ...http80, bind: "127.0.0.1", bindToPort: true, manager }),
  outbound_http_full: () =>
    outboundHttpListener({
      ...http80,
      bindToPort: true,
      protocol: "GRPC-Web",
      extraBinds: ["::"],
      fallthroughCluster: "BlackHoleCluster",
      manager: FULL,
    }),
  outbound_http_proxy: () =>
    outboundHttpListener({
      bind: "127.0.0.1",
      port: 15002,
      routeName: "http_proxy",
      allowAbsoluteUrl: true,
      bindToPort: true,
      manager: { ...manager, telemetry: logged(JSON_LOG), listenerLog: false },
    }),
  outbound_http_socket: () =>
    outboundHttpListener({
      bind: "unix:///var/run/egress.sock",
      port: 0,
      routeName: "unix:///var/run/egress.sock",
      bindToPort: true,
      manager: {
        ...manager,
        pathNormalization: "none",
        telemetry: logged({
          file: "/dev/stdout",
          encoding: "json",
          format: '{"code":"%RESPONSE_CODE%"}',
        }),
      },
    }),
  outbound_tcp_address: () =>
    outboundTcpListener({
      bind: "10.0.0.1",
      port: 9000,
      bindToPort: false,
      chains: [{ clusters: one("outbound|9000||a.b"), statPrefix: "outbound|9000||a.b" }],
      manager,
    }),
  outbound_tcp_shared: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 9000,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      chains: [
        {
          destinationCidrs: ["10.8.0.0/16", "2001:db8::1", "not an address"],
          clusters: [
            { cluster: "outbound|9000|v1|a.b", weight: 80 },
            { cluster: "outbound|9000|v2|a.b", weight: 20 },
            { cluster: "outbound|9000|v3|a.b", weight: 0 },
          ],
          statPrefix: "a.ns",
          hashSourceIp: true,
        },
        { destinationCidrs: ["nonsense"], clusters: one("never"), statPrefix: "never" },
        {
          destinationCidrs: ["10.8.0.0/16", "2001:db8::1"],
          clusters: one("too late"),
          statPrefix: "too late",
        },
      ],
      manager: FULL,
    }),
  outbound_tcp_sni: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 443,
      bindToPort: false,
      chains: [
        {
          sniHosts: ["api.example.com", "*.example.org"],
          clusters: one("outbound|443||api.example.com"),
          statPrefix: "outbound|443||api.example.com",
          idleTimeoutMs: 30_000,
          maxConnectionDurationMs: 600_000,
        },
        { sniHosts: ["*"], clusters: one("outbound|443||any"), statPrefix: "any" },
      ],
      manager,
    }),
  outbound_mixed: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 443,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      httpRoutes: "443",
      chains: [
        {
          sniHosts: ["api.example.com"],
          clusters: one("outbound|443||api.example.com"),
          statPrefix: "outbound|443||api.example.com",
        },
        {
          destinationCidrs: ["10.8.0.0/16"],
          httpRoutes: "443",
          clusters: one("outbound|443||ranges.example.com"),
          statPrefix: "outbound|443||ranges.example.com",
        },
        { clusters: one("outbound|443||any"), statPrefix: "outbound|443||any" },
      ],
      manager,
    }),
  outbound_sniffed_address: () =>
    outboundTcpListener({
      bind: "10.0.0.1",
      port: 9000,
      bindToPort: false,
      httpRoutes: "9000",
      chains: [{ clusters: one("outbound|9000||a.b"), statPrefix: "outbound|9000||a.b" }],
      manager: FULL,
    }),
  virtual_outbound: () =>
    virtualOutbound({
      bind: "0.0.0.0",
      port: 15001,
      egressCluster: "PassthroughCluster",
      manager: { ...manager, telemetry: logged(TEXT_LOG) },
    }),
  virtual_outbound_tproxy: () =>
    virtualOutbound({
      bind: "::",
      port: 15001,
      egressCluster: "BlackHoleCluster",
      transparent: true,
      manager,
    }),
  outbound_document: () =>
    outboundTcpListener({
      bind: "10.0.0.9",
      port: 27017,
      bindToPort: false,
      chains: [{ clusters: one("outbound|27017||d.b"), statPrefix: "d", protocol: "document" }],
      manager,
    }),
  outbound_key_value: () =>
    outboundTcpListener({
      bind: "10.0.0.9",
      port: 6379,
      bindToPort: false,
      chains: [{ clusters: one("outbound|6379||k.v"), statPrefix: "k", protocol: "key-value" }],
      manager,
    }),
};
