import { efforts } from '#shared/model/models/model-facts.ts'
import { branchVerbs } from './branch-verbs.ts'
import { checkoutVerbs } from './checkout-verbs.ts'
import { composeVerbs } from './compose-verbs.ts'
import { commonFlags, jsonFlag, picks, runFlags, serveFlags, usageGroups } from './flags.ts'
import { hookVerbs } from './hook-verbs.ts'
import { importVerbs } from './import-verbs.ts'
import { programVerbs } from './program-verbs.ts'
import { serverVerbs } from './server-verbs.ts'
import {
  choiceFlag,
  type FlagWord,
  fileFlag,
  flagOf,
  folderWord,
  listFlag,
  textFlag,
  threadWord,
  type VerbWords,
} from './words.ts'

const runExits = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage',
  3: 'waits for decisions (resume)',
  4: 'a budget ended it',
  5: 'a required check is not green (--require-checks), or no attempt is (--pick best)',
  130: 'stopped',
}
const plainExits = { 0: 'done', 1: 'failed', 2: 'wrong usage' }

/** Every verb, in the order in which help lists them. */
const verbTable = [
  {
    name: 'open',
    summary: 'open the window; where Electron cannot start, the web shell',
    about: [
      'Opens the window on a folder. Where Electron cannot start, it says why and serves the window to a browser.',
    ],
    positionals: [folderWord],
    required: 0,
    flags: serveFlags,
    examples: [{ line: 'coppice open .', about: 'the window on this folder' }],
    exits: plainExits,
  },
  {
    name: 'serve',
    summary: 'the same in a browser, on a loopback port',
    about: ['Serves the window to a browser on this machine. The URL carries a token; keep it to yourself.'],
    positionals: [folderWord],
    required: 0,
    flags: serveFlags,
    examples: [{ line: 'coppice serve . --no-open', about: 'print the address and start no browser' }],
    exits: plainExits,
  },
  {
    name: 'run',
    summary: 'one task without a window',
    about: [
      'Gives an agent one task. The folder (default: the current one) is only read; changes wait in the thread.',
      'In a terminal it shows what each agent does and asks for approvals right there. Elsewhere it prints plain lines, and calls that need approval stay pending. Only the answer goes to standard output.',
    ],
    positionals: [folderWord],
    required: 0,
    flags: [
      {
        name: 'task',
        value: { placeholder: 'TASK', kind: 'text' },
        about: 'the text, @FILE to read it from a file, - for standard input',
      },
      flagOf('empty', 'an empty scratch workspace instead of a folder'),
      flagOf('top', 'work on the whole repository around the folder; the agent is told to work in the folder'),
      {
        name: 'model',
        value: { placeholder: 'MODEL', kind: 'text', choices: ['demo'] },
        about:
          'a model, or PROFILE/MODEL, or beside an external agent one of its own; "demo" is the built-in scripted model, which works offline',
      },
      choiceFlag('effort', 'LEVEL', efforts, 'how long the model thinks; default: effort of the settings'),
      textFlag('agent', 'NAME', 'which agent does it'),
      fileFlag('input', 'data the agent finds below /inputs/: JSON, CSV, text or PDF'),
      fileFlag('output-schema', 'JSON Schema the final answers of the thread must fit; none: answers in words again'),
      { name: 'thread', value: threadWord, about: 'go on in a thread' },
      textFlag('attempts', 'N', 'try the task N times at once, each on a branch of its own, and show which is best'),
      {
        ...listFlag(
          'variant',
          { placeholder: 'K=V,…', kind: 'text' },
          'with --attempts: what is different in one of them, of model=…, agent=…, effort=…, hint=…; repeat it for more, and they are dealt out in turn',
        ),
        isWhole: true,
      },
      choiceFlag(
        'pick',
        'WHICH',
        picks,
        'with --attempts: best (merge the best one, if all its checks are green) · ask (default: merge none, and say how to)',
      ),
      listFlag(
        'check',
        { placeholder: 'NAME', kind: 'text' },
        'with --attempts: a check that counts; repeat it for more; default: every required one',
      ),
      textFlag('budget', 'DOLLARS', 'with --attempts: what all of them may cost together'),
      fileFlag('record', 'write what models say and what comes of it, for --replay'),
      flagOf('with-secrets', 'leave what looks like a key, token or password in the record'),
      fileFlag(
        'replay',
        'run a recorded task again, offline: tools run for real, and every tree must be the recorded one',
      ),
      ...runFlags,
    ],
    examples: [
      { line: 'coppice run --task "Find out why the tests fail and fix it"', about: 'in this folder' },
      { line: 'coppice run --model demo --task "show me"', about: 'the built-in demo, without a key' },
      { line: 'coppice run app --task @task.md --approve all --patch fix.patch', about: 'for a script' },
      {
        line: 'coppice run --attempts 4 --variant effort=low --variant effort=high --pick best --task @task.md',
        about: 'four attempts; the best one is taken if its checks are green',
      },
      { line: 'coppice run app --replay bug.jsonl', about: 'what a record did, in this folder' },
    ],
    exits: runExits,
  },
  {
    name: 'resume',
    summary: 'go on after approvals, a pause or a stop',
    about: [
      'Goes on with a thread. Decisions are JSON: [{"callId", "type", "args"?, "message"?, "mode"?}] with type approve, edit (needs args), reject (message optional) or respond (needs message); mode is ask, auto-edit or auto, for an approved plan.',
    ],
    positionals: [threadWord],
    required: 1,
    flags: [fileFlag('decisions', 'the decisions; - for standard input'), ...runFlags],
    examples: [
      { line: 'coppice resume last', about: 'go on with the latest thread' },
      { line: 'coppice resume last --decisions answers.json --json', about: 'for a script' },
    ],
    exits: runExits,
  },
  {
    name: 'threads',
    summary: 'list threads of all projects',
    about: ['Lists the threads of all projects, latest first. It works while a window has a project open.'],
    positionals: [],
    required: 0,
    flags: [jsonFlag],
    examples: [{ line: 'coppice threads', about: 'their state, age and folder' }],
    exits: plainExits,
  },
  ...branchVerbs,
  ...composeVerbs,
  ...checkoutVerbs,
  ...programVerbs,
  ...serverVerbs,
  ...hookVerbs,
  ...importVerbs,
  {
    name: 'export',
    summary: 'write a patch, a transcript, a journal or a record',
    about: ['Writes what a thread has made to files.'],
    positionals: [threadWord],
    required: 1,
    flags: [
      fileFlag('patch', "the git patch of the thread's changes; - for standard output"),
      fileFlag(
        'transcript',
        'the conversation as Markdown, or as JSON or one page where the name ends in .json or .html; - for standard output',
      ),
      fileFlag('record', 'what models said and people decided, for coppice run --replay; - for standard output'),
      flagOf('with-secrets', 'leave what looks like a key, token or password in the transcript and the record'),
      fileFlag('journal', 'every entry as a line of JSON, with the paths it changed; - for standard output'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice export last --patch - | git apply', about: 'take the changes over with git' },
      { line: 'coppice export last --transcript talk.html', about: 'what was said, as one page for a browser' },
      { line: 'coppice export last --record bug.jsonl', about: 'for a bug report' },
    ],
    exits: plainExits,
  },
  {
    name: 'usage',
    summary: 'what agents used, in money and tokens',
    about: [
      'Adds up what the agents of a folder (default: the current one) used: by day, thread, agent, branch, batch, run or model; or what all projects used, by project.',
      'It only reads stored journals, so it needs no key and works while a window has the project open. A cost is unknown when the price of a call is; it is never counted as nothing.',
    ],
    positionals: [folderWord],
    required: 0,
    flags: [
      choiceFlag('by', 'GROUP', usageGroups, 'what to add up by; default: thread'),
      textFlag('since', 'DATE', 'leave out what was used before this day, as 2026-11-22'),
      fileFlag('csv', 'write CSV: the groups of --by, or every row with all columns; - for standard output'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice usage', about: 'what the threads of this folder cost' },
      { line: 'coppice usage --by model --since 2026-11-01', about: 'the models of this month' },
      { line: 'coppice usage --by project', about: 'all projects' },
      { line: 'coppice usage --csv usage.csv', about: 'for a spreadsheet' },
    ],
    exits: plainExits,
  },
  {
    name: 'doctor',
    summary: 'check what this machine has',
    about: ['Checks the parts Coppice needs, and says how to mend what is missing.'],
    positionals: [],
    required: 0,
    flags: [jsonFlag],
    examples: [{ line: 'coppice doctor', about: 'uses every part once' }],
    exits: { 0: 'nothing is broken', 1: 'a part is broken', 2: 'wrong usage' },
  },
  {
    name: 'completion',
    summary: 'completions for a shell',
    about: [
      'Prints a script that completes verbs, flags, threads and branches. Load it when the shell starts:',
      'bash: eval "$(coppice completion bash)" in ~/.bashrc · zsh: the same with zsh in ~/.zshrc, after compinit · fish: coppice completion fish > ~/.config/fish/completions/coppice.fish · PowerShell: coppice completion powershell | Out-String | Invoke-Expression in $PROFILE',
    ],
    positionals: [{ placeholder: 'SHELL', kind: 'choice', choices: ['bash', 'zsh', 'fish', 'powershell'] }],
    required: 1,
    flags: [],
    examples: [{ line: 'eval "$(coppice completion bash)"', about: 'for this shell' }],
    exits: plainExits,
  },
] as const satisfies readonly VerbWords[]

export type VerbName = (typeof verbTable)[number]['name']

export const verbs: readonly (VerbWords & { readonly name: VerbName })[] = verbTable

export const verbNames: readonly VerbName[] = verbTable.map(({ name }) => name)

/** The verb at the beginning of a line, which may be of two words. Undefined for none. */
export function verbAt([first, second]: readonly string[]): VerbName | undefined {
  return verbNames.find((name) => name === `${first} ${second}`) ?? verbNames.find((name) => name === first)
}

/** How many words of a line are its verb. */
export function lengthOf(verb: VerbName): number {
  return verb.split(' ').length
}

/** The verbs of one word. */
export const firstWords: readonly VerbName[] = verbNames.filter((name) => lengthOf(name) === 1)

/** The words of one verb. */
export function verbOf(name: VerbName): VerbWords {
  const verb = verbs.find((one) => one.name === name)
  if (!verb) throw new Error(`The table has no verb ${name}.`)
  return verb
}

/** The verb's own flags and those of every verb. */
export function flagsOf({ flags }: VerbWords): readonly FlagWord[] {
  return [...flags, ...commonFlags]
}
