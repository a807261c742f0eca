/**
 * Parses a scrape of an agent.
 *
 * @module
 */
import type { Agent } from "../../../scripts/harness/mod.ts";

/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples whose names begin with `mesh_`, as the agent serves them merged. */
export async function scrape({ status }: Agent): Promise<Sample[]> {
  const text = await (await fetch(`${status}/stats/prometheus`)).text();
  return text.split("\n").flatMap((line) => {
    const parts = /^(mesh_\w+)\{(.*)\} (\S+)$/.exec(line);
    if (parts === null || parts[1]!.startsWith("mesh_agent_")) return [];
    const labels = [...parts[2]!.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      .map(([, name, value]) => [name!, value!]);
    return [{ name: parts[1]!, labels: Object.fromEntries(labels), value: Number(parts[3]) }];
  });
}

/** Those of a name that have some labels. */
export function having(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Sample[] {
  return samples.filter((sample) =>
    sample.name === name &&
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
  );
}
