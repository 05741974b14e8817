import type { CommandName } from './arguments.ts'

const general = `Coppice lets an AI agent work on a project folder without touching it.

Usage: coppice [open] [FOLDER]        open the window; where Electron cannot start, the web shell
       coppice serve [FOLDER]         the same in a browser, on a loopback port
       coppice run [FOLDER] --task …  one task without a window
       coppice resume THREAD          go on after approvals, a pause or a stop
       coppice threads                list threads of all projects
       coppice export THREAD          write a patch, a transcript or a journal
       coppice doctor                 check what this machine has

Common flags:
  --data-dir DIR     where Coppice keeps its data (COPPICE_DATA_DIR)
  --settings FILE    settings that overlay those of the data folder
  --help, --version

"coppice COMMAND --help" tells more about one command.`

const outputFlags = `  --step             pause after every turn until resumed
  --approve MODE     ask (default): leave gated calls pending · all: approve what no rule denies · none: reject each
  --allow-host HOST  let sandboxed commands of this run reach a host: example.com, *.example.com, example.com:8443
                     or the registry of a package manager, by your configuration: preset:npm, preset:pypi, preset:cargo …
  --setup SETUP      what to run once before the first command: auto (what the folder calls for, without a question),
                     none, or a command line
  --max-iterations N model replies before the run ends (default 100)
  --patch FILE       write the git patch of all changes when done
  --apply            write the changes to the folder when done
  --trust            trust the folder: load AGENTS.md and the like, and start its servers (remembered)
  --trust-mcp NAME   trust and start this server of the settings or the folder; repeat it for more
  --json             one event per line; the last is run.finished

Exit codes: 0 done · 1 failed · 2 wrong usage · 3 waits for decisions (resume) · 4 a budget ended it · 130 stopped`

const byCommand: Readonly<Record<CommandName, string>> = {
  open: general,
  serve: `Usage: coppice serve [FOLDER] [--port N] [--host ADDRESS] [--no-open]

Serves the window to a browser on this machine. The URL carries a token; keep it to yourself.
  --port N           default 7420, or any free port when that is taken
  --host ADDRESS     default 127.0.0.1; another address makes Coppice reachable from outside
  --no-open          do not start a browser`,
  run: `Usage: coppice run [FOLDER] --task TEXT|@FILE|- [flags]

Gives an agent one task. The folder (default: the current one) is only read; changes wait in the thread.
  --task TASK        the text, @FILE to read it from a file, - for standard input
  --empty            an empty scratch workspace instead of a folder
  --model MODEL      "demo" is the built-in scripted model, which works offline
  --agent NAME       which agent does it
  --input FILE       data the agent finds below /inputs/: JSON, CSV, text or PDF
  --output-schema F  JSON Schema the final answer must fit
  --thread ID        go on in a thread
${outputFlags}`,
  resume: `Usage: coppice resume THREAD [--decisions FILE] [flags]

Goes on with a thread. Decisions are JSON: [{"callId", "type", "args"?, "message"?}] with type
approve, edit (needs args), reject (message optional) or respond (needs message).
  --decisions FILE   the decisions; - for standard input
${outputFlags}`,
  threads: `Usage: coppice threads [--json]

Lists the threads of all projects, latest first.`,
  export: `Usage: coppice export THREAD [--patch FILE] [--transcript FILE] [--journal FILE]

  --patch FILE       the git patch of the thread's changes; - for standard output
  --transcript FILE  the conversation as Markdown, or as JSON where the name ends in .json; - for standard output
  --with-secrets     leave what looks like a key, token or password in the transcript
  --journal FILE     every entry as a line of JSON, with the paths it changed; - for standard output`,
  doctor: `Usage: coppice doctor

Checks the parts Coppice needs, and says how to mend what is missing.`,
}

export function helpFor(command: CommandName | undefined): string {
  return command === undefined ? general : byCommand[command]
}
