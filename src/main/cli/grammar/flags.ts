import { commitUnits } from '#shared/model/delivery.ts'
import { usageGroupings } from '#shared/model/derived/usage-groups.ts'
import { approvalModes } from '#shared/model/thread.ts'
import { choiceFlag, type FlagWord, fileFlag, flagOf, listFlag, textFlag } from './words.ts'

/** Flags of every verb. */
export const commonFlags: readonly FlagWord[] = [
  {
    name: 'data-dir',
    value: { placeholder: 'DIR', kind: 'folder' },
    about: 'where Coppice keeps its data (COPPICE_DATA_DIR)',
  },
  fileFlag('settings', 'settings that overlay those of the data folder'),
  flagOf('help', 'say what the verb does', 'h'),
  flagOf('version', 'print the version'),
]

/** What `--approve` takes. */
export const approveModes = ['ask', 'effects', 'all', 'none'] as const

/** What `--pick` takes. */
export const picks = ['best', 'ask'] as const

const presets = ['preset:npm', 'preset:pypi', 'preset:cargo']

/** Flags about hooks before a delivery. */
export function hookFlags(when = ''): readonly FlagWord[] {
  return [
    flagOf(
      'hooks',
      `${when}run the hooks of the repository first, in the sandbox: pre-commit, prepare-commit-msg, commit-msg`,
    ),
    choiceFlag(
      'hook-changes',
      'WHAT',
      ['take', 'leave'],
      'with --hooks: what becomes of files that they change: take them into the commits, or leave them out',
    ),
  ]
}

/** Flags of `run` and `resume`. */
export const runFlags: readonly FlagWord[] = [
  flagOf('step', 'pause after every turn until resumed'),
  choiceFlag(
    'approve',
    'MODE',
    approveModes,
    'ask (default): ask in a terminal, else leave gated calls pending · effects: keep what commands did in the sandbox, reject the rest · all: approve what no rule denies · none: reject each',
  ),
  choiceFlag(
    'mode',
    'MODE',
    approvalModes,
    'how often agents ask: plan (commands run, nothing they change is kept) · ask (before every change) · auto-edit (commands run, what they did waits) · auto (what they did is kept); default: approval_mode of the settings',
  ),
  listFlag(
    'allow-host',
    { placeholder: 'HOST', kind: 'text', choices: presets },
    'let sandboxed commands of this run reach a host: example.com, *.example.com, example.com:8443 or the registry of a package manager, by your configuration: preset:npm, preset:pypi, preset:cargo …',
  ),
  listFlag(
    'allow-port',
    { placeholder: 'N', kind: 'text' },
    'let sandboxed commands of this run reach this port of this machine, as localhost:N; repeat it for more',
  ),
  {
    ...listFlag(
      'allow-socket',
      { placeholder: 'PATH', kind: 'file' },
      'let sandboxed commands of this run reach this unix socket of this machine, at the same path, such as /run/docker.sock (with that of Docker, they are root on this machine); repeat it for more',
    ),
    isWhole: true,
  },
  listFlag(
    'add-dir',
    { placeholder: 'DIR[:NAME]', kind: 'folder' },
    'make this folder a second one of the project for good, as /NAME: changed on branches, with its own patch and delivery; repeat it for more',
  ),
  listFlag(
    'ref',
    { placeholder: 'DIR[:NAME]', kind: 'folder' },
    'let agents read this folder beside the project, as /refs/NAME; never written, never part of a patch; repeat it for more',
  ),
  {
    name: 'setup',
    value: { placeholder: 'SETUP', kind: 'text', choices: ['auto', 'none'] },
    about:
      'what to run once before the first command: auto (what the folder calls for, without a question), none, or a command line',
  },
  textFlag('max-iterations', 'N', 'model replies before the run ends (default 100)'),
  fileFlag('patch', 'write the git patch of all changes when done'),
  flagOf('apply', 'write the changes to the folder when done'),
  textFlag('deliver', 'BRANCH', 'make one commit of all changes on this branch of git when done'),
  choiceFlag(
    'deliver-per',
    'UNIT',
    commitUnits,
    'with --deliver: a commit for each todo, agent, merged branch or message',
  ),
  ...hookFlags('with --deliver: '),
  flagOf('require-checks', 'deliver nothing unless every required check is green on the result'),
  flagOf('trust', 'trust the folder: load AGENTS.md and the like, and start its servers (remembered)'),
  listFlag(
    'trust-mcp',
    { placeholder: 'NAME', kind: 'text' },
    'trust and start this server of the settings or the folder; repeat it for more',
  ),
  flagOf('quiet', 'show only the answer and problems', 'q'),
  flagOf('verbose', 'show arguments, results and times as they are'),
  flagOf('json', 'one event per line; the last is run.finished'),
]

/** What `usage --by` takes. */
export const usageGroups = [...usageGroupings, 'project'] as const

/** Flags of `serve`, and of `open`, which acts as `serve` where Electron cannot start. */
export const serveFlags: readonly FlagWord[] = [
  textFlag('port', 'N', 'default 7420, or any free port when that is taken'),
  textFlag('host', 'ADDRESS', 'default 127.0.0.1; another address makes Coppice reachable from outside'),
  flagOf('no-open', 'do not start a browser'),
]

export const jsonFlag = flagOf('json', 'print one JSON value; an error is one too')

export const pathsFlag = pathFlag(
  'paths',
  'only this file or folder, as the agent names it: /src/a.js; repeat it for more',
)

/** A flag that takes paths of the project. They may hold commas. */
export function pathFlag(name: string, about: string): FlagWord {
  return { ...listFlag(name, { placeholder: 'PATH', kind: 'text' }, about), isWhole: true }
}
