import { formatDuration } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Words of the card of a held call. It is fetched when there is one, so they are not in the first load. */
export const effectDetails = {
  keep: 'Keep',
  keepHint: 'Keep exactly what it did. Nothing runs again (Y)',
  keepSome: (chosen: number, count: number) => `Keep ${chosen} of ${plural(count, 'file', 'files')}`,
  edit: 'Edit and run again',
  editHint: (keys: string) => `It runs as it stands in the box, and you see what it did before it counts (${keys})`,
  runAgain: 'Run again',
  runAgainHint: 'Run it again, and look at what it did before it counts (Y)',
  drop: 'Drop',
  dropHint: 'Drop everything that it did (N)',
  dropKeys: 'Enter drops it, with or without a reason. Esc goes back.',
  reasonHint: (keys: string) => `Enter drops it with this reason. ${keys} keeps it and sends this to the agent.`,
  some: 'Keep some files',
  someHint: 'Choose the files that you keep (F)',
  always: 'Always…',
  chooseFile: 'Choose at least one file, or drop it.',
  exit: (code: number | null) => (code === null ? 'Ended by a signal' : `Exit ${code}`),
  time: (milliseconds: number) => formatDuration(milliseconds),
  output: 'Output',
  noOutput: 'It printed nothing.',
  earlier: (lines: number) => `Show ${plural(lines, 'earlier line', 'earlier lines')}`,
  fewer: 'Show the end only',
  secret: 'Looks like a key or a token',
  secrets: (count: number) =>
    `${count === 1 ? 'A part' : `${count} parts`} of the output ${count === 1 ? 'looks' : 'look'} like a key or a token. Keep shows it to the model.`,
  hiddenSecrets:
    'The part of the output that is not shown here holds what looks like a key or a token. Keep shows it to the model.',
  tasks: (count: number) => `It declared ${plural(count, 'task', 'tasks')} for subagents. Keep starts them.`,
  files: 'Files it changed',
  noFiles: 'It changed no file.',
  showDiff: (path: string) => `Changes of ${path}`,
  choose: (path: string) => `Keep ${path}`,
  allFiles: (count: number) => `Show all ${count} files`,
  noDiff: 'Only the first files are compared here.',
  refused: 'It could not reach',
  allowHost: (host: string) => `Allow ${host} and run again`,
  allowHosts: (count: number) => `Allow these ${count} hosts and run again`,
  environment: (count: number) =>
    `It changed ${plural(count, 'file that git ignores', 'files that git ignores')}, such as installed packages. Keep keeps them for later commands.`,
  stale:
    'The command before was not kept as a whole. If you keep this one, it runs again without it and is shown again.',
  after: (command: string) => `Runs on top of the command before: ${command}`,
  lowRiskTitle: (count: number) => `Keep what ${plural(count, 'call', 'calls')} of low risk did?`,
  lowRiskMixedTitle: (count: number) => `Keep or approve ${plural(count, 'call', 'calls')} of low risk?`,
  lowRiskAbout:
    'What a call did is kept as you see it here, and no call runs twice. Calls of a higher risk still wait.',
  lowRiskConfirm: (count: number) => `Keep these ${count}`,
  lowRiskMixedConfirm: (count: number) => `Keep or approve these ${count}`,
  allow: {
    title: 'Always keep or allow',
    about:
      'What fits a rule is kept or runs without asking, in every project. Rules that deny or ask still come first.',
    confirm: 'Always, and keep this one',
    noChanges: 'Keeps by itself what a command printed if it changed no file.',
    meaning: (patterns: readonly string[], most: number | null, deletes: boolean) => {
      const limits = [
        ...(patterns.length > 0 ? [`only ${patterns.join(', ')}`] : []),
        ...(most === null ? [] : [`at most ${plural(most, 'file', 'files')}`]),
      ].join(', ')
      const conditions = [...(limits ? [`changed ${limits}`] : []), ...(deletes ? [] : ['deleted nothing'])]
      return conditions.length === 0
        ? 'Keeps by itself whatever a command did.'
        : `Keeps by itself what a command did if it ${conditions.join(' and ')}.`
    },
    never: 'Runs that could not reach a host, or that printed what looks like a key, always wait for you.',
  },
} as const
