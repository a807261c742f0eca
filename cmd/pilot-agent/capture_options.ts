import type { FlagValues } from "../../lib/kit/cli/mod.ts";
import { usageError } from "../../lib/kit/cli/mod.ts";
import {
  CAPTURE_FLAG_VARIABLES,
  CAPTURE_VARIABLES,
  type CaptureInput,
  type CommandSwitches,
} from "../../lib/node/capture/mod.ts";

/** Options of `mesh-iptables`. */
export interface CaptureOptions extends CommandSwitches {
  readonly input: CaptureInput;
  readonly dryRun: boolean;
  readonly skipRuleApply: boolean;
  readonly runValidation: boolean;
  readonly probePort: number;
  /** Milliseconds. */
  readonly probeTimeout: number;
}

/**
 * Collects the options of `mesh-iptables`. Variables replace flags that are not given.
 *
 * @throws {MeshError} `usage` for flags that exclude each other
 */
export function captureOptions(flags: FlagValues): CaptureOptions {
  const v = CAPTURE_VARIABLES;
  const networkNamespace = flags.string("network-namespace");
  const cniMode = flags.bool("cni-mode");
  const runValidation = flags.bool("run-validation");
  if (cniMode && networkNamespace === "") {
    throw usageError("--cni-mode needs --network-namespace", "Give the path of the namespace.");
  }
  if (runValidation && networkNamespace !== "") {
    throw usageError(
      "--run-validation does not work with --network-namespace",
      "Run the validation in the namespace itself.",
    );
  }
  return {
    input: {
      outboundPort: flags.string("dataproxy-port"),
      inboundPort: flags.string("inbound-capture-port"),
      tunnelPort: flags.string("inbound-tunnel-port"),
      mode: flags.string("mesh-inbound-interception-mode") || (v.mode.get() ?? ""),
      mark: flags.given.has("mesh-inbound-tproxy-mark")
        ? flags.string("mesh-inbound-tproxy-mark")
        : v.mark.get() || flags.string("mesh-inbound-tproxy-mark"),
      routeTable: flags.string("mesh-inbound-tproxy-route-table"),
      uids: flags.string("proxy-uid"),
      gids: flags.string("proxy-gid"),
      inboundPorts: flags.string("mesh-inbound-ports"),
      inboundPortsExclude: flags.string("mesh-local-exclude-ports"),
      outboundPorts: flags.string("mesh-outbound-ports"),
      outboundPortsExclude: flags.string("mesh-local-outbound-ports-exclude"),
      ranges: flags.string("mesh-service-cidr"),
      rangesExclude: flags.string("mesh-service-exclude-cidr"),
      groups: v.groups.get(),
      groupsExclude: v.groupsExclude.get() ?? "",
      virtualInterfaces: flags.string("orch-virt-interfaces"),
      excludeInterfaces: flags.string("mesh-exclude-interfaces"),
      loopback: v.loopback.get(),
      dualStack: flags.bool("dual-stack") || v.dualStack.get(),
      dns: flags.bool("redirect-dns"),
      // The resolv.conf that a plugin sees is that of its node.
      allDns: flags.bool("capture-all-dns") || cniMode,
      dropInvalid: flags.bool("drop-invalid"),
      trace: flags.bool("iptables-trace-logging"),
    },
    networkNamespace,
    cniMode,
    reconcile: flags.bool("reconcile"),
    cleanupOnly: flags.bool("cleanup-only"),
    forceApply: flags.bool("force-apply"),
    dryRun: flags.bool("dry-run"),
    skipRuleApply: flags.bool("skip-rule-apply"),
    runValidation,
    probePort: flags.number("iptables-probe-port"),
    probeTimeout: flags.number("probe-timeout"),
  };
}

/** Options of `mesh-clean-iptables`: those of `mesh-iptables --cleanup-only`. */
export function cleaningOptions(flags: FlagValues): CaptureOptions {
  const v = CAPTURE_VARIABLES;
  const given = CAPTURE_FLAG_VARIABLES;
  return {
    input: {
      outboundPort: "15001",
      inboundPort: "15006",
      tunnelPort: "15008",
      mode: flags.string("mesh-inbound-interception-mode") || (v.mode.get() ?? ""),
      mark: flags.string("mesh-inbound-tproxy-mark") || v.mark.get() || "1337",
      routeTable: "133",
      uids: flags.string("proxy-uid"),
      gids: flags.string("proxy-gid"),
      inboundPorts: "",
      inboundPortsExclude: "",
      outboundPorts: "",
      outboundPortsExclude: "",
      ranges: given.ranges.get() ?? "",
      rangesExclude: "",
      groups: v.groups.get(),
      groupsExclude: v.groupsExclude.get() ?? "",
      virtualInterfaces: given.virtualInterfaces.get() ?? "",
      excludeInterfaces: given.excludeInterfaces.get() ?? "",
      loopback: v.loopback.get(),
      dualStack: v.dualStack.get(),
      dns: flags.bool("redirect-dns"),
      allDns: flags.bool("capture-all-dns"),
      dropInvalid: true,
      trace: false,
    },
    networkNamespace: "",
    cniMode: false,
    reconcile: false,
    cleanupOnly: true,
    forceApply: false,
    dryRun: flags.bool("dry-run"),
    skipRuleApply: false,
    runValidation: false,
    probePort: 0,
    probeTimeout: 0,
  };
}
