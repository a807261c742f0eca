/**
 * Routes of the agent: health, metrics, the state of the installation.
 *
 * @module
 */
import { buildLine } from "../../lib/kit/base/mod.ts";
import { counter, gauge, sharedScrapes } from "../../lib/kit/metrics/mod.ts";
import { h, page, probe, type Route, route, shared, text } from "../../lib/kit/web/mod.ts";
import type { InstallState, Step } from "../../lib/node/cni_install/mod.ts";

/** Values of the label `result`, by the step that failed. */
const RESULTS: Readonly<Record<Step, string>> = {
  binary: "COPY_BINARIES_FAILURE",
  orchconfig: "CREATE_ORCHCONFIG_FAILURE",
  network: "CREATE_CNI_CONFIG_FAILURE",
};

const installs = counter({
  name: "mesh_cni_installs_total",
  help: "Installations of the network plugin on the node, by result.",
  labels: ["result"],
});

const installReady = gauge({
  name: "mesh_cni_install_ready",
  help: "1 while the network plugin is installed on the node, 0 otherwise.",
});

/** The state of the agent, and why it is not ready. */
export class Health {
  #install: InstallState = { phase: "starting", reason: "starting", file: "", notes: [] };
  #redirection = "the self-test of redirection has not run yet";
  #tested: readonly string[] = [];
  #ambient = "";

  constructor() {
    installReady.set(0);
  }

  /** The installation reached a state. */
  install(state: InstallState): void {
    this.#install = state;
    installReady.set(state.phase === "installed" ? 1 : 0);
  }

  /** An installation ended, with the step that failed, if one did. */
  installed(failed: Step | undefined): void {
    installs.inc({ result: failed === undefined ? "SUCCESS" : RESULTS[failed] });
  }

  /** The self-test ended, with the reason if it failed, and what it says of versions of IP. */
  redirection(fault: string, tested: readonly string[]): void {
    this.#redirection = fault;
    this.#tested = tested;
  }

  /** Why ambient mode has not begun; empty: it has, or is off. */
  ambient(fault: string): void {
    this.#ambient = fault;
  }

  /** Sentences of the last self-test about versions of IP. */
  get tested(): readonly string[] {
    return this.#tested;
  }

  /** Reasons for not being ready, one line each; none: it is ready. */
  reasons(): readonly string[] {
    const { phase, reason } = this.#install;
    const install = phase === "installed" ? [] : [`installation: ${phase}: ${reason}`];
    const redirection = this.#redirection === "" ? [] : [`redirection: ${this.#redirection}`];
    const ambient = this.#ambient === "" ? [] : [`ambient mode: ${this.#ambient}`];
    return [...install, ...redirection, ...ambient];
  }

  get state(): InstallState {
    return this.#install;
  }
}

/** `/healthz`, `/readyz`, and the page of the state at `/`. */
export function healthRoutes(health: Health, nodeName: string): Route[] {
  return [
    probe("GET", "/healthz", () => text("ok\n")),
    probe("GET", "/readyz", () => {
      const reasons = health.reasons();
      if (reasons.length === 0) return text(`ready\n${linesOf(health.tested)}`);
      return text(linesOf(reasons), { status: 503 });
    }),
    route("GET", "/", () => statePage(health, nodeName)),
  ];
}

function linesOf(lines: readonly string[]): string {
  return lines.map((one) => `${one}\n`).join("");
}

function statePage(health: Health, nodeName: string): Response {
  const { phase, file, notes } = health.state;
  const reasons = health.reasons();
  const list = (items: readonly string[]) => h("ul", null, items.map((one) => h("li", null, one)));
  return page({
    title: nodeName === "" ? "Network plugin" : `Network plugin on ${nodeName}`,
    refresh: 5,
    body: [
      h("p", { role: "status" }, reasons.length === 0 ? "Ready." : "Not ready."),
      reasons.length === 0 ? null : list(reasons),
      h("dl", null, [
        h("dt", null, "Installation"),
        h("dd", null, phase),
        h("dt", null, "Network configuration"),
        h("dd", null, file === "" ? "none" : file),
        h("dt", null, "Redirection"),
        h("dd", null, health.tested.length === 0 ? "not verified" : health.tested.join("; ")),
      ]),
      notes.length === 0 ? null : [h("h2", null, "Notes"), list(notes)],
    ],
  });
}

/** `/metrics` and `/version`. */
export function monitoringRoutes(): Route[] {
  const scrape = sharedScrapes();
  return [
    route("GET", "/metrics", async ({ request }) => {
      const { contentType, bytes } = await scrape(request.headers.get("accept") ?? "");
      return shared(bytes, contentType);
    }),
    route("GET", "/version", () => text(`${buildLine()}\n`)),
  ];
}
