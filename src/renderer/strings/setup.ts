import { reachWarnings } from '#shared/base/reach/local-reach.ts'
import { environmentText } from '#shared/model/setup.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { formatElapsed } from '#shared/text/format.ts'

/** Words about what makes a project ready for commands. */
export const setupStrings = {
  cardTitle: 'Set up this project?',
  progressTitle: 'Setup of this project',
  from: (file: string) => `from ${file}`,
  noHosts: 'no network',
  mayReach: (hosts: readonly string[]) => `may reach ${hosts.join(', ')}`,
  edit: 'Edit',
  notNow: 'Not now',
  never: 'Never for this project',
  proposal: 'Proposal',
  command: 'Setup command',
  commandHint: 'Runs before the first command of an agent, and again when one of the inputs changes.',
  inputs: 'Inputs',
  inputsHint: 'Files whose content decides whether it runs again, separated by commas.',
  hosts: 'Hosts it may reach',
  hostsHint:
    'Names such as registry.example.com, or the registry of your package manager: preset:npm, preset:pypi, preset:cargo, preset:go, preset:maven, preset:rubygems, preset:packagist.',
  archive: 'Command after a branch',
  archiveHint:
    'Takes down what a branch set up, such as a database. Runs in the view of a branch, for at most 30 seconds, once the branch is discarded or its thread archived or deleted. Empty for none.',
  archiveShown: 'Once a branch is discarded, or its thread archived or deleted:',
  variables: 'Variables of commands',
  variablesHint: 'One on each line, as NAME=value. Every command of the project has them.',
  variablesProblem: (line: string) => `Not a variable that can be given: ${line}`,
  variablesShown: 'Variables of all commands:',
  leftOut: (lines: readonly string[]) => `Not used here: ${lines.join('; ')}`,
  scriptsTitle: 'This project keeps more for other tools',
  useScripts: 'Use it in this project',
  about:
    'What an agent’s commands need before they can run, such as installed packages. Every thread and branch begins with it.',
  none: 'This project has no setup, and nothing in its files calls for one.',
  noProject: 'No project is open',
  noProjectDetail: 'Open a folder to see what makes it ready.',
  /** What surrounds a run, and the presses that begin one, by the state of the sandbox. */
  runs: {
    on: {
      about:
        'Agents then begin with what it installs. It runs once in a view, in the sandbox; your folder stays as it is.',
      warning: '',
      ...{ setUp: 'Set up', saveAndRun: 'Save and set up', runAgain: 'Set up again', tryAgain: 'Try again' },
    },
    partial: {
      about: 'Agents then begin with what it installs. It runs once in a view, in a partial sandbox.',
      warning: 'The sandbox is only partial: it may reach the network and every host.',
      setUp: 'Set up with the network open',
      saveAndRun: 'Save and set up with the network open',
      runAgain: 'Set up again with the network open',
      tryAgain: 'Try again with the network open',
    },
    off: {
      about: 'Agents then begin with what it installs. It runs once, without a sandbox.',
      warning: 'It runs unconfined on your machine as you: it can reach your files and the network.',
      setUp: 'Set up without a sandbox',
      saveAndRun: 'Save and set up without a sandbox',
      runAgain: 'Set up again without a sandbox',
      tryAgain: 'Try again without a sandbox',
    },
  },
  remove: 'Remove',
  neverSet: 'You want no setup for this project, so none is proposed.',
  askAgain: 'Ask again',
  cancel: 'Cancel',
  output: 'Output',
  noOutput: 'It has printed nothing.',
  hide: 'Hide',
  origin: {
    settings: 'Set in your settings.',
    project: 'Set by this project’s own settings, which you trusted.',
    command_line: 'Set on the command line.',
  },
  running: (command: string, milliseconds: number) =>
    `Setting up: ${firstLine(command)} · ${formatElapsed(milliseconds)}`,
  failed: 'The setup failed. Commands run without it.',
  cancelled: 'The setup was cancelled. Commands run without it.',
  hostsTitle: 'This project proposes hosts',
  hostsOfSetup: (hosts: readonly string[]) => `For its setup: ${hosts.join(', ')}.`,
  hostsOfCommands: (hosts: readonly string[]) =>
    [`For all commands: ${hosts.map(shownName).join(', ')}.`, ...reachWarnings(hosts)].join(' '),
  allow: 'Allow for this project',
  filesTitle: 'This project names files that agents do not see',
  filesOf: (paths: readonly string[]) =>
    `${paths.map((path) => shownName(path.slice(1))).join(', ')}: .worktreeinclude names them for working copies. They may hold secrets, so agents and their commands see them only if you add a rule for each. A rule counts in every project.`,
  showFiles: 'Let agents read them',
  showFilesHint: (paths: readonly string[]) =>
    `Adds to the rules that allow: ${paths.map((path) => `Read(${path})`).join(', ')}`,
  environment: 'Environment',
  dropped: (count: number, names: readonly string[]) =>
    `It changed ${count === 1 ? '1 file' : `${count} files`} that no .gitignore names; these changes were dropped: ${names.join(', ')}${count > names.length ? ' …' : ''}`,
  state: environmentText,
} as const

function firstLine(command: string): string {
  const [first = '', ...rest] = command.split('\n')
  return rest.length === 0 ? first : `${first} …`
}
