/**
 * Parses the subset of Dockerfiles that the project uses: stages with instructions, continued
 * lines, comments. No heredocs, no `ONBUILD`.
 *
 * @module
 */

export interface Instruction {
  /** In upper case, such as `COPY`. */
  readonly name: string;
  /** Flags in front of the arguments, such as `from` of `--from=build`. */
  readonly flags: Readonly<Record<string, string>>;
  /** The text after the flags. */
  readonly text: string;
  /** The arguments: words, or the items of a JSON list. */
  readonly words: readonly string[];
}

/** A stage with its base: an image or an earlier stage. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/**
 * The stages of a Dockerfile in their order.
 *
 * @throws Error for an instruction before the first stage, and for a stage without a name
 */
export function parseDockerfile(source: string): Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of logicalLines(source)) {
    const instruction = parseInstruction(line);
    if (instruction.name !== "FROM") {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first stage: ${line}`);
      stage.instructions.push(instruction);
      continue;
    }
    const [from, as, name] = instruction.words;
    if (from === undefined || as?.toUpperCase() !== "AS" || name === undefined) {
      throw new Error(`a stage without a name: ${line}`);
    }
    stages.push({ name, from, instructions: [] });
  }
  return stages;
}

/** All instructions of a stage, those of its base stages first. */
export function lineage(stages: readonly Stage[], name: string): Instruction[] {
  const stage = stages.find((s) => s.name === name);
  return stage === undefined ? [] : [...lineage(stages, stage.from), ...stage.instructions];
}

function logicalLines(source: string): string[] {
  const lines = source.split("\n").filter((line) => !/^\s*#/.test(line));
  return lines.join("\n").replace(/\\\n/g, " ").split("\n").map((line) => line.trim())
    .filter((line) => line !== "");
}

function parseInstruction(line: string): Instruction {
  const [, name = "", flagText = "", text = ""] = /^(\S+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
  const flags = flagText.trim().split(/\s+/).filter((flag) => flag !== "").map((flag) => {
    const [key = "", value = ""] = flag.slice(2).split("=");
    return [key, value];
  });
  const words: string[] = text.startsWith("[") ? JSON.parse(text) : text.split(/\s+/);
  return { name: name.toUpperCase(), flags: Object.fromEntries(flags), text, words };
}
