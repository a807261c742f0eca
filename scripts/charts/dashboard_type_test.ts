/** The compiler compares each dashboard with the types that Grafana publishes. */
import assert from "node:assert/strict";
import { fromFileUrl, join } from "../paths.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "charts/monitoring/dashboards");

interface Dashboard {
  readonly panels: readonly {
    readonly options?: Record<string, unknown>;
    readonly targets?: readonly Record<string, unknown>[];
  }[];
}

/** The messages of the compiler about values that stand where a dashboard is expected. */
async function mistakes(values: readonly unknown[]): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const type = JSON.stringify(import.meta.resolve("./dashboard_type.ts"));
    const lines = values.map((value, at) =>
      `export const d${at}: DashboardFile = ${JSON.stringify(value, undefined, 1)};\n`
    );
    const file = join(folder, "dashboards.ts");
    await Deno.writeTextFile(
      file,
      `import type { DashboardFile } from ${type};\n${lines.join("")}`,
    );
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "-q", `--config=${join(ROOT, "deno.json")}`, file],
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stderr);
    assert.equal(success, text === "", text);
    return text;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("dashboards have the types that Grafana publishes, and mistakes are found", async () => {
  const files = (await Array.fromAsync(Deno.readDir(FOLDER))).map(({ name }) => name).sort();
  assert.ok(files.length >= 3);
  const all = await Promise.all(
    files.map(async (name) => JSON.parse(await Deno.readTextFile(join(FOLDER, name))) as Dashboard),
  );
  assert.equal(await mistakes(all), "");
  const [first] = all;
  const at = first!.panels.findIndex(({ targets }) => targets !== undefined);
  const changed = (change: Record<string, unknown>) => ({
    ...first,
    panels: first!.panels.map((one, place) => place === at ? { ...one, ...change } : one),
  });
  const [target] = first!.panels[at]!.targets!;
  const wrong = [
    changed({ options: { ...first!.panels[at]!.options, colourMode: "value" } }),
    changed({ targets: [{ ...target, legend: "a" }] }),
    changed({ gridPos: { x: 0, y: 0, w: "24", h: 1 } }),
    { ...first, graphTooltip: 7 },
  ];
  const text = await mistakes(wrong);
  for (const where of ["colourMode", "legend", "string", "7"]) {
    assert.ok(text.includes(where), text);
  }
  assert.equal(text.match(/TS\d+ \[ERROR\]/g)?.length, wrong.length, text);
});
