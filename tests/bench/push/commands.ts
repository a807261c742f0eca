/**
 * Commands to a process of clients: words on a line of standard input, each answered by a line of
 * JSON on standard output.
 *
 * @module
 */

/** Answers commands until `quit` or the end of the input. */
export async function answerCommands(
  answer: (command: string, ...words: string[]) => Promise<unknown>,
): Promise<void> {
  let buffered = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    for (let nl = buffered.indexOf("\n"); nl >= 0; nl = buffered.indexOf("\n")) {
      const [command = "", ...words] = buffered.slice(0, nl).split(" ");
      buffered = buffered.slice(nl + 1);
      console.log(JSON.stringify(await answer(command, ...words)));
      if (command === "quit") return;
    }
  }
}
