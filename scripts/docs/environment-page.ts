import { placeVariable } from '../../src/main/core/ports/branch-mounts.ts'
import { providerPresets } from '../../src/main/host/models/presets.ts'
import { pageHead, table } from './markdown.ts'

interface Variable {
  readonly name: string
  readonly meaning: string
}

/** Variables that the app reads. A test compares the list with the code. */
/** The variables of presets, with the presets that use each. */
const presetVariables = providerPresets.flatMap(({ id, env }) => (env === null ? [] : [[`\`${id}\``, `\`${env}\``]]))

export const appVariables: readonly Variable[] = [
  {
    name: 'ANTHROPIC_API_KEY',
    meaning: 'The key of the built-in profile, when none is stored. Commands and servers never get it.',
  },
  { name: 'ANTHROPIC_BASE_URL', meaning: 'The address of the model server, unless `base_url` is set.' },
  {
    name: 'ANTHROPIC_AUTH_TOKEN',
    meaning:
      'A token of the built-in profile, sent as a bearer token, when there is no key. Your terminals do not get it either.',
  },
  {
    name: 'ANTHROPIC_FOUNDRY_API_KEY',
    meaning: 'The key of a profile with the preset `foundry`. See the table of presets below.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'The collector of spans, where `telemetry.from_environment` of your settings says so and names none itself. Nothing is sent otherwise.',
  },
  { name: 'COPPICE_DATA_DIR', meaning: 'The data folder. `--data-dir` wins over it.' },
  {
    name: 'COPPICE_QUARANTINE_MODE',
    meaning: '`strict`, `scoped` or `off`. Wins over `quarantine.mode`; the definition of a subagent wins over it.',
  },
  {
    name: 'COPPICE_QUARANTINE_INHERIT',
    meaning:
      '`0`: nested subagents do not inherit the mode of their parent. `1`: they do. Wins over `quarantine.inherit`.',
  },
  {
    name: 'COPPICE_RUN',
    meaning:
      'Set by Coppice for commands, code, searches and servers: a random name of the run that started them. When the app was killed, the next start ends what carries it.',
  },
  {
    name: 'COPPICE_TALK',
    meaning:
      'Set by Coppice for an external agent: the command line of a server of the Model Context Protocol with the tools of Coppice that it may call.',
  },
  {
    name: 'COPPICE_RELAY',
    meaning:
      'Set by Coppice for the relay of its proxy: the folder it belongs to. Coppice ends the relay with the folder.',
  },
  { name: 'COPPICE_RUNNER_TIMEOUT_MS', meaning: 'Milliseconds of one run of code. Wins over `runner.timeout_ms`.' },
  { name: 'COPPICE_RUNNER_MEMORY_MB', meaning: 'Megabytes of one run of code. Wins over `runner.memory_mb`.' },
  {
    name: 'COPPICE_WATCH_POLLING',
    meaning:
      '`1`: look at watched files once a second. `0`: rely on the events of the system. By default, Coppice looks on network file systems.',
  },
]

/** What the places beside the project hold, by name. Commands find each in a variable. */
const places: Readonly<Record<string, string>> = {
  inputs: 'attached files and your skills',
  memories: 'the memories, read-only',
  large_tool_results: 'results that were too large for the conversation',
  conversation_history: 'the older part of a summarised conversation',
  batch_results: 'the results of batches',
}

/** Variables that commands of agents get. */
export const placeVariables: readonly Variable[] = Object.entries(places).map(([name, content]) => ({
  name: placeVariable(name),
  meaning: `The folder of \`/${name}/\`: ${content}.`,
}))

/** Variables for people who develop Coppice. */
export const developerVariables: readonly Variable[] = [
  { name: 'COPPICE_BROWSER', meaning: 'The path of the Chromium for tests, pictures and benchmarks.' },
  { name: 'COPPICE_APP_ROOT', meaning: 'The files of a packaged app that the end-to-end tests run.' },
  { name: 'COPPICE_LAYOUT', meaning: '`1`: the packaging makes the app around an empty program.' },
  { name: 'COPPICE_NODE_20', meaning: 'The path of a Node 20 for the tests of the npm package.' },
  { name: 'COPPICE_TEST_DISK', meaning: '`1`: temporary folders of tests are on the disk instead of in memory.' },
  { name: 'COPPICE_TEST_CHILDREN', meaning: 'Set by the tests: the folder of the programs that they start.' },
  {
    name: 'COPPICE_ALL_LOOKS',
    meaning:
      'With `1`, axe examines every screen in ten looks instead of two: more widths, high contrast, forced colours.',
  },
  {
    name: 'COPPICE_TEST_SIZE',
    meaning:
      '`full`: laws are tried with five times as many inputs, and long walks of the window run too. Set each night.',
  },
  { name: 'COPPICE_SOAK', meaning: '`1`: property, contract and kill tests run at full size. Set by `npm run soak`.' },
  { name: 'COPPICE_SOAK_SHARE', meaning: 'The share of its full size that a chunk of the soak takes, up to 1.' },
  { name: 'COPPICE_SOAK_FROM', meaning: 'The share that earlier chunks of the soak took.' },
  { name: 'COPPICE_SEED', meaning: 'The seed of property tests, which repeats a run.' },
]

/** Variables of every terminal that the command line obeys. */
export const terminalVariables: readonly Variable[] = [
  { name: 'NO_COLOR', meaning: 'When it is set, nothing is coloured.' },
  { name: 'FORCE_COLOR', meaning: '`1`, `2` or `3`: colours also where the output is no terminal. `0`: none.' },
  { name: 'TERM', meaning: 'With `dumb`, nothing is drawn in place and nobody is asked.' },
  { name: 'VISUAL, EDITOR', meaning: 'The editor in which a waiting call is changed. Without them it is vi.' },
  { name: 'PAGER', meaning: 'What `coppice diff` shows a long patch with. Without it, that is less.' },
]

export function environmentPage(): string {
  const rows = (variables: readonly Variable[]) => variables.map(({ name, meaning }) => [`\`${name}\``, meaning])
  return `${pageHead('Variables of the environment', 'scripts/docs/environment-page.ts')}
${table(['variable', 'meaning'], rows(appVariables))}
chokidar, which watches files, also reads \`CHOKIDAR_USEPOLLING\` and \`CHOKIDAR_INTERVAL\`.

An invalid value is reported (in Settings, and by \`coppice run\` on standard error), and the settings decide.

## Keys of presets

A [profile](models.md) with one of these presets takes its key from the variable, when none is stored and the profile names no other place.

${table(['preset', 'variable'], presetVariables)}
Nothing that Coppice starts gets the variable of a profile in the settings: no command, server or terminal.

Commands that agents run, code and servers get none of these except \`COPPICE_RUN\` and, for external agents, \`COPPICE_TALK\`, nor any other variable whose name begins with \`ANTHROPIC_\` or \`COPPICE_\`.

## The terminal

${table(['variable', 'meaning'], rows(terminalVariables))}
## What commands get

A command finds the places beside the project in these folders. In the sandbox they are also at the path of the file tools.

${table(['variable', 'meaning'], rows(placeVariables))}
## For development

${table(['variable', 'meaning'], rows(developerVariables))}`
}
