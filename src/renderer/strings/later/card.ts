import { plural } from '#shared/text/plural.ts'
import { nameLists, noOutput, noRule, notJson } from '#shared/tools/card-words.ts'

/** Words of the approval card and its dialogs. They are fetched with the first card, so they are not in the first load. */
export const cardStrings = {
  ...nameLists,
  noOutput,
  end: {
    runAgain: 'Run again',
    runAgainHint: 'Run exactly this once more',
    markDone: 'Mark done',
    markDoneHint: 'It had its effect. The agent is told so and continues',
    skip: 'Skip',
    skipHint: 'Nobody knows whether it had its effect. The agent is told so and continues',
  },
  plan: {
    document: 'Plan',
    commentOn: (place: string) => `Comment on ${place}`,
    commentHint: 'Comment on these lines. With Shift, on the lines up to here',
    showRest: (lines: number) => `Show ${plural(lines, 'more line', 'more lines')}`,
    notes: 'Notes to the agent (optional)',
    approve: 'Approve',
    approveWithNotes: 'Approve with notes',
    approveHint: 'Approve the plan, and go on in this mode',
    modeAfter: (mode: string) => `Mode after approval: ${mode}`,
    withComments: (count: number) => `with ${plural(count, 'comment', 'comments')}`,
    hint: 'Write a note or comment on lines to ask for changes.',
  },
  keepHint: 'Keep exactly what it did. Nothing runs again (Y)',
  runAgainHint: 'Run it again, and look at what it did before it counts (Y)',
  dropHint: 'Drop everything that it did (N)',
  someHint: 'Choose the files that you keep (F)',
  ownAnswers: 'Its own answers',
  answersThatAllow: 'Allow',
  answersThatRefuse: 'Refuse',
  remembered: 'It remembers this itself and may not ask again. A rule, by Always allow, can be taken back.',
  /** The hint of a button that needs none but its key. */
  withKey: (word: string, key: string) => `${word} (${key})`,
  keepSome: (chosen: number, count: number) => `Keep ${chosen} of ${plural(count, 'file', 'files')}`,
  chooseFile: 'Choose at least one file, or drop it.',
  reason: 'Reason, or words to the agent (optional)',
  /** In the field, which is often narrow. */
  reasonShort: 'Reason or note (optional)',
  reasonKeys: {
    asks: 'Enter rejects, with or without a reason. Esc goes back.',
    tried: 'Enter drops it, with or without a reason. Esc goes back.',
  },
  reasonHint: {
    asks: (keys: string) => `Enter rejects with this reason. ${keys} approves and sends it to the agent.`,
    tried: (keys: string) => `Enter drops it with this reason. ${keys} keeps it and sends this to the agent.`,
  },
  editCommand: 'Command to run instead',
  editArguments: 'Arguments as JSON',
  notJson: `${notJson} Fix it first.`,
  editHint: {
    asks: (keys: string) => `Approve runs what is in the box (${keys})`,
    again: (keys: string) => `It runs as it stands in the box, and you see what it did before it counts (${keys})`,
    keeps: (keys: string) => `Keep stores the change below, made with what is in the box (${keys})`,
  },
  editUndo: 'Back to what was asked for',
  editDiff: 'Asked for, and as edited',
  openNetwork: 'Let it reach hosts…',
  network: 'Hosts it may reach (none unless you name them)',
  networkHint: 'For this command alone, as name or name:port; localhost:5432 and /run/docker.sock are of this machine.',
  notHosts: 'One of these is not a host. Write names such as packages.example.com.',
  alwaysHosts: (names: readonly string[]) => {
    const hosts = names.some((name) => name.startsWith('/')) ? '' : names.length === 1 ? ' host' : ' hosts'
    return `Always allow ${names.length === 1 ? 'this' : 'these'}${hosts} in this project`
  },
  hostsAllowed:
    'All commands of this project may reach them from now on. Settings → All settings takes it back (sandbox).',
  grantHost: (host: string) => `Let it reach ${host}`,
  allowHost: (host: string) => `Allow ${host} and run again`,
  allowHosts: (count: number) => `Allow these ${count} hosts and run again`,
  output: 'Output',
  earlier: (lines: number) => `Show ${plural(lines, 'earlier line', 'earlier lines')}`,
  fewer: 'Show the end only',
  secret: 'Looks like a key or a token',
  files: 'Files it changed',
  wouldChange: 'If it ran now, it would change:',
  showDiff: (path: string) => `Changes of ${path}`,
  choose: (path: string) => `Keep ${path}`,
  allFiles: (count: number) => `Show all ${count} files`,
  noDiff: 'Only the first files are compared here.',
  moreFiles: (count: number) => `And ${plural(count, 'more file', 'more files')}.`,
  newFile: 'New',
  deletedFile: 'Deleted',
  renamed: (from: string, to: string) => `${from} → ${to}`,
  wouldFail: 'This call would fail as things are now, and change nothing:',
  wouldChangeFolders: 'This call would change only folders that hold no file.',
  wouldChangeNothing: 'This call would change nothing: the files are already as it would leave them.',
  comparing: 'Comparing with the current file…',
  stale: 'The call before was not kept as a whole. If you keep this one, it runs again without it and is shown again.',
  answer: 'Your answer',
  otherAnswer: 'Other',
  searchOptions: 'Search options',
  optionsShown: (shown: number, all: number) => (shown === all ? `${all} options` : `${shown} of ${all}`),
  preview: (option: string) => `Preview of ${option}`,
  sendAnswer: 'Answer',
  tool: 'Tool',
  rule: 'Rule',
  riskBecause: (reason: string) => `: ${reason}`,
  estimate: (rule: string) => `${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}.`,
  editedByYou: 'edited by you',
  lowRisk: {
    title: {
      asks: (count: number) => `Approve ${plural(count, 'call', 'calls')} of low risk?`,
      tried: (count: number) => `Keep what ${plural(count, 'call', 'calls')} of low risk did?`,
      both: (count: number) => `Keep or approve ${plural(count, 'call', 'calls')} of low risk?`,
    },
    about: {
      asks: 'Each one runs exactly as it stands here. Calls of a higher risk still wait for you.',
      tried: 'What a call did is kept as you see it here, and no call runs twice. Calls of a higher risk still wait.',
    },
    confirm: {
      asks: (count: number) => `Approve these ${count}`,
      tried: (count: number) => `Keep these ${count}`,
      both: (count: number) => `Keep or approve these ${count}`,
    },
  },
  allow: {
    title: 'Always allow',
    about: 'Calls that a rule allows run without asking, in every project. Rules that deny or ask still come first.',
    scope: 'What to allow',
    exactly: 'Exactly this call',
    similar: 'Calls like this one',
    rules: 'Rules, one per line',
    none: noRule,
    noneDetail:
      'It is more than a list of plain commands, or a tool that always asks. Decide it here each time it comes up.',
    preview: (matched: number, of: number) =>
      of === 0 ? 'No call so far would have matched.' : `Would have matched ${matched} of ${of} calls so far:`,
    scripts: (files: string) =>
      `This command uses ${files}, which agents changed. A rule for it also allows whatever they write there later.`,
    confirm: (approve: string) => `Allow and ${approve.toLowerCase()}`,
    cancel: 'Cancel',
  },
  /** The same dialog, for rules about what commands did. */
  allowEffects: {
    title: 'Always keep or allow',
    about:
      'What fits a rule is kept or runs without asking, in every project. Rules that deny or ask still come first.',
    confirm: () => 'Always, and keep this one',
    noneDetail: 'Runs that could not reach a host, or that printed what looks like a key, always wait for you.',
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
  },
} as const
