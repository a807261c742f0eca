/**
 * Settings of an agent, for tests.
 *
 * @module
 */
import { create, type MessageInitShape } from "../../lib/kit/proto/mod.ts";
import { AuthenticationPolicy, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { type AgentSettings, readEnv } from "../../lib/node/agent/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";

/** Settings of a test; all others have defaults. */
export interface TestSettings extends Partial<Omit<AgentSettings, "env" | "proxy" | "flags">> {
  readonly proxy?: MessageInitShape<typeof ProxyConfigSchema>;
  readonly flags?: Partial<AgentSettings["flags"]>;
}

/** Settings of a sidecar with a plain connection to the daemon; `environ` sets variables too. */
export function testSettings(chosen: TestSettings = {}): AgentSettings {
  const environ = chosen.environ ?? {};
  using _ = useEnvironment(environ);
  return {
    env: readEnv(),
    labels: {},
    annotations: {},
    addresses: { ips: ["10.0.0.1"], ipv6Only: false, both: false, loopbackOnly: false },
    hostname: "host",
    template: undefined,
    override: undefined,
    ...chosen,
    environ,
    flags: {
      role: "sidecar",
      concurrency: undefined,
      domain: "",
      outlierLogPath: "",
      proxyLogLevel: "warning,misc:error",
      proxyComponentLogLevel: "",
      logAsJson: false,
      ...chosen.flags,
    },
    proxy: create(ProxyConfigSchema, {
      configPath: "./etc/mesh/proxy",
      binaryPath: "/usr/local/bin/dataproxy",
      clusterName: { case: "serviceCluster", value: "mesh-proxy" },
      discoveryAddress: "127.0.0.1:15010",
      controlPlaneAuthPolicy: AuthenticationPolicy.NONE,
      proxyAdminPort: 15000,
      statusPort: 15020,
      ...chosen.proxy,
    }),
  };
}
