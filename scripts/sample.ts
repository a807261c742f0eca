/**
 * `deno task sample NAME`: runs a sample of `samples/` on this machine until Ctrl-C. Edits of its
 * files take effect, and are printed, as they happen.
 *
 * @module
 */
import { follow } from "./demo/live.ts";
import { createNarrator } from "./demo/narrator.ts";
import { fromFileUrl } from "./paths.ts";
import { startSample } from "./samples/run.ts";
import { portsOfSample, type Sample, SAMPLES } from "./samples/table.ts";

const FOLDER = fromFileUrl(new URL("../samples", import.meta.url));

async function main(args: readonly string[]): Promise<number> {
  const [name] = args.filter((arg) => arg !== "--");
  const sample = SAMPLES.find((one) => one.name === name);
  if (sample === undefined) {
    console.error(
      `usage: deno task sample NAME, with one of: ${SAMPLES.map((s) => s.name).join(", ")}`,
    );
    return 64;
  }
  const taken = portsOfSample(sample).filter(isTaken);
  if (taken.length > 0) {
    console.error(
      `Ports in use: ${taken.join(", ")}. End what uses them, or write others into the files.`,
    );
    return 1;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => stop.abort());
  }
  try {
    await run(sample, stop.signal);
  } catch (e) {
    if (!stop.signal.aborted) throw e;
  }
  console.log("\nAll parts are stopped.");
  return 0;
}

async function run(sample: Sample, signal: AbortSignal): Promise<void> {
  const dir = `${FOLDER}/${sample.name}`;
  console.log(`Starting the sample ${sample.name}: ${dir}`);
  await using running = await startSample(sample, { dir });
  console.log(`The debug page: ${running.daemon.http}/debug`);
  console.log(["Try in another terminal:", ...sample.tries].join("\n   "));
  console.log("\nCtrl-C stops it. Edits of the files appear here:\n");
  const { event } = createNarrator(signal);
  await follow({ daemon: running.daemon, print: event, signal });
}

function isTaken(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return false;
  } catch (e) {
    if (e instanceof Deno.errors.AddrInUse) return true;
    throw e;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
